import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Notify } from './notify-socket.ts'

export interface ServiceManagerParts {
  notify: Notify
  clock: Clock
  /** How long it waits for a sign of life; undefined: it does not wait for any. */
  watchdogMs: number | undefined
  /** How many calls run. */
  calls: () => number
  /** Resolves when the threads that carry them have answered. */
  answers: () => Promise<void>
}

/** How often it is told what we do, when nothing else decides. */
const usualBeatMs = 5_000
/** What closing takes at most when the last call is over. */
const closingMs = 60_000

type News = Partial<Record<'READY' | 'STOPPING' | 'STATUS' | 'WATCHDOG' | 'EXTEND_TIMEOUT_USEC', string>>

/**
 * Tells a service manager such as systemd that we are ready, end, and are alive (the protocol of sd_notify). A sign of life comes from the main
 * thread, and only after every media thread has answered: whichever of them is stuck, the service is started anew.
 */
export class ServiceManager {
  readonly #parts: ServiceManagerParts
  readonly #beatMs: number
  /** What it did not take; it is told with the next beat. */
  #untold: News = {}
  #stopping = false

  constructor(parts: ServiceManagerParts) {
    this.#parts = parts
    this.#beatMs = parts.watchdogMs === undefined ? usualBeatMs : parts.watchdogMs / 2
  }

  ready(): void {
    this.#tell({ READY: '1' })
    void this.#beat()
  }

  /** Calls may go on for `drainMs`: however short the manager's own patience is, it waits for that. */
  stopping(drainMs: number): void {
    if (this.#stopping) return
    this.#stopping = true
    this.#tell({ STOPPING: '1', EXTEND_TIMEOUT_USEC: String((drainMs + closingMs) * 1000) })
  }

  async #beat(): Promise<void> {
    await this.#parts.answers()
    this.#tell(this.#parts.watchdogMs === undefined ? {} : { WATCHDOG: '1' })
    this.#parts.clock.after(this.#beatMs, () => void this.#beat())
  }

  #tell(news: News): void {
    this.#untold = { ...this.#untold, STATUS: this.#status(), ...news }
    const lines = Object.entries(this.#untold).map(([name, value]) => `${name}=${value}\n`)
    if (this.#parts.notify(lines.join(''))) this.#untold = {}
  }

  #status(): string {
    const calls = this.#parts.calls()
    const running = calls === 1 ? '1 call' : `${calls} calls`
    return this.#stopping ? `ends after ${running}` : running
  }
}

/** How long systemd waits for a sign of life of this process. */
export const watchdogMs = (env: NodeJS.ProcessEnv, pid: number): number | undefined => {
  const { WATCHDOG_USEC: wanted = '', WATCHDOG_PID: whose } = env
  if (!/^[1-9]\d{0,15}$/.test(wanted) || (whose !== undefined && whose !== String(pid))) return undefined
  return Number(wanted) / 1000
}
