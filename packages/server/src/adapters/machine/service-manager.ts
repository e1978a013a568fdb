import type { Clock } from '#core/kernel/ports/platform.ts'
import { loadLibc } from '#media/socket/socket-koffi.ts'

export interface ServiceManagerDeps {
  notify: Notify
  clock: Clock
  /** Watchdog interval; undefined: no watchdog. */
  watchdogMs: number | undefined
  /** Number of running calls. */
  calls: () => number
  /** Resolves when the threads that carry them have answered. */
  answers: () => Promise<void>
}

/** Default interval of status messages. */
const defaultHeartbeatMs = 5_000
/** Maximum milliseconds of closing after the last call. */
const closingMs = 60_000

type News = Partial<Record<'READY' | 'STOPPING' | 'STATUS' | 'WATCHDOG' | 'EXTEND_TIMEOUT_USEC', string>>

/**
 * Notifies a service manager such as systemd that we are ready, stopping and alive (the protocol of sd_notify). A heartbeat is sent by the
 * main thread, and only after every media thread has answered: if any of them is stuck, the service is restarted.
 */
export class ServiceManager {
  readonly #deps: ServiceManagerDeps
  readonly #heartbeatMs: number
  /** Notifications that were not accepted; they are sent with the next heartbeat. */
  #unsent: News = {}
  #stopping = false

  constructor(deps: ServiceManagerDeps) {
    this.#deps = deps
    this.#heartbeatMs = deps.watchdogMs === undefined ? defaultHeartbeatMs : deps.watchdogMs / 2
  }

  ready(): void {
    this.#notify({ READY: '1' })
    void this.#beat()
  }

  /** Calls may continue for `drainMs`: extends the manager's own stop timeout accordingly. */
  stopping(drainMs: number): void {
    if (this.#stopping) return
    this.#stopping = true
    this.#notify({ STOPPING: '1', EXTEND_TIMEOUT_USEC: String((drainMs + closingMs) * 1000) })
  }

  async #beat(): Promise<void> {
    await this.#deps.answers()
    this.#notify(this.#deps.watchdogMs === undefined ? {} : { WATCHDOG: '1' })
    this.#deps.clock.after(this.#heartbeatMs, () => void this.#beat())
  }

  #notify(news: News): void {
    this.#unsent = { ...this.#unsent, STATUS: this.#status(), ...news }
    const lines = Object.entries(this.#unsent).map(([name, value]) => `${name}=${value}\n`)
    if (this.#deps.notify(lines.join(''))) this.#unsent = {}
  }

  #status(): string {
    const calls = this.#deps.calls()
    const running = calls === 1 ? '1 call' : `${calls} calls`
    return this.#stopping ? `ends after ${running}` : running
  }
}

/** Watchdog interval of systemd for this process. */
export const watchdogMs = (env: NodeJS.ProcessEnv, pid: number): number | undefined => {
  const { WATCHDOG_USEC: wanted = '', WATCHDOG_PID: whose } = env
  if (!/^[1-9]\d{0,15}$/.test(wanted) || (whose !== undefined && whose !== String(pid))) return undefined
  return Number(wanted) / 1000
}

// Linux constants, the same on x64 and arm64, which are both little-endian.
const AF_UNIX = 1
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000
/** A slow reader must not block our calls, and a lost one must not end us. */
const MSG_DONTWAIT_NOSIGNAL = 0x40 | 0x4000
/** Maximum length of `sun_path`. */
const maxPathLength = 107

/** Returns whether it was sent. */
export type Notify = (text: string) => boolean

/**
 * The socket of a service manager (`NOTIFY_SOCKET`): a path, or with `@` an abstract name. Node has no Unix datagram sockets, so it uses
 * koffi; throws without. It stays open for the lifetime of the process, as it is the only channel to the manager.
 */
export const openNotifySocket = (name: string): Notify => {
  const address = unixAddress(name)
  const libc = loadLibc()
  const socket = libc.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0)
  if (socket < 0) throw new Error('no Unix socket can be opened')
  return (text) => {
    const bytes = Buffer.from(text)
    return libc.sendto(socket, bytes, bytes.length, MSG_DONTWAIT_NOSIGNAL, address, address.length) === bytes.length
  }
}

/** `sockaddr_un`: the family, then the path with its zero, or a zero and the name. */
const unixAddress = (name: string): Buffer => {
  if (!/^[/@]./.test(name)) throw new Error('NOTIFY_SOCKET is neither a path nor a name that begins with @')
  const path = Buffer.from(name.startsWith('@') ? `\0${name.slice(1)}` : `${name}\0`)
  if (path.length > maxPathLength + 1) throw new Error('NOTIFY_SOCKET is too long')
  const family = Buffer.alloc(2)
  family.writeUInt16LE(AF_UNIX)
  return Buffer.concat([family, path])
}
