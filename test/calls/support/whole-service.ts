import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import type { LogEventCode } from '#log/log-events.ts'
import { logTo } from '#log/log.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { readSettings } from '#settings/config.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { start, type Running } from '#wiring/main.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

/** Dedicated RTP port range outside the ephemeral ports, so that open ports can be counted. */
const ports = { first: 30_000, last: 32_767 }

/** Real-time clock that counts pending timers. */
export class CountingClock implements Clock {
  readonly #real = realClock()
  #waiting = 0

  get waiting(): number {
    return this.#waiting
  }

  now(): number {
    return this.#real.now()
  }

  elapsed(): number {
    return this.#real.elapsed()
  }

  after(ms: number, task: () => void): () => void {
    this.#waiting += 1
    let ended = false
    const finish = (): boolean => {
      if (ended) return false
      ended = true
      this.#waiting -= 1
      return true
    }
    const cancel = this.#real.after(ms, () => {
      if (finish()) task()
    })
    return () => {
      if (finish()) cancel()
    }
  }
}

interface LogLine {
  level: number
  event: LogEventCode
  callId?: string
  reason?: string
}

/** Log of the service. */
export class ServiceLog {
  readonly faults: string[] = []
  /** Logged ends of each call. */
  readonly ends = new Map<string, string[]>()

  write(line: string): void {
    const { level, event, callId = '', reason = '' } = JSON.parse(line) as LogLine
    if (level >= 40) this.faults.push(line)
    if (event === 'call_ended') this.ends.set(callId, [...(this.ends.get(callId) ?? []), reason])
  }
}

export interface Service {
  running: Running
  clock: CountingClock
  log: ServiceLog
  data: string
  /** Open UDP ports of its audio, as the system reports them. */
  audioPorts: () => number
}

/** The whole service in this process: real HTTP, SIP, RTP, SQLite, real time. */
export const startService = async (t: TestContext, settings: Record<string, string> = {}): Promise<Service> => {
  let running: Running | undefined
  const data = await temporaryFolder(t, () => running?.close())
  const [clock, log] = [new CountingClock(), new ServiceLog()]
  const environment = {
    OFFHOOK_HTTP: '127.0.0.1:0',
    OFFHOOK_SIP: '127.0.0.1:0',
    OFFHOOK_RTP: `${ports.first}-${ports.last}`,
    OFFHOOK_DATA: data,
    OFFHOOK_DEMO: 'off',
    OFFHOOK_SPEECH: 'off',
    OFFHOOK_RATE_LIMIT: '0',
    OFFHOOK_SHED_LOAD: 'off',
    OFFHOOK_MEDIA_WORKERS: '1',
    ...settings,
  }
  running = await start(readSettings(environment), { clock, log: logTo(pino({ level: 'info' }, log)) })
  return { running, clock, log, data, audioPorts }
}

/** Other processes may have ports in the same range. */
const audioPorts = (): number => {
  const own = new Set(readdirSync('/proc/self/fd').map((file) => socketOf(file)))
  const sockets = readFileSync('/proc/net/udp', 'utf8').split('\n').slice(1)
  return sockets.filter((line) => {
    const [, local = '', , , , , , , , inode = ''] = line.trim().split(/\s+/)
    const port = parseInt(local.split(':')[1] ?? '', 16)
    return port >= ports.first && port <= ports.last && own.has(inode)
  }).length
}

const socketOf = (file: string): string | undefined => {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${file}`))?.[1]
  } catch {
    return undefined // closed in the meantime
  }
}
