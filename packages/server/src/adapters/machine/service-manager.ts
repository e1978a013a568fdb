import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Notify } from './notify-socket.ts'

export interface ServiceManagerDeps {
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
const defaultHeartbeatMs = 5_000
/** What closing takes at most when the last call is over. */
const closingMs = 60_000

type News = Partial<Record<'READY' | 'STOPPING' | 'STATUS' | 'WATCHDOG' | 'EXTEND_TIMEOUT_USEC', string>>

/**
 * Tells a service manager such as systemd that we are ready, end, and are alive (the protocol of sd_notify). A sign of life comes from the main
 * thread, and only after every media thread has answered: whichever of them is stuck, the service is started anew.
 */
export class ServiceManager {
  readonly #deps: ServiceManagerDeps
  readonly #heartbeatMs: number
  /** What it did not take; it is told with the next beat. */
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

  /** Calls may go on for `drainMs`: however short the manager's own patience is, it waits for that. */
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

/** How long systemd waits for a sign of life of this process. */
export const watchdogMs = (env: NodeJS.ProcessEnv, pid: number): number | undefined => {
  const { WATCHDOG_USEC: wanted = '', WATCHDOG_PID: whose } = env
  if (!/^[1-9]\d{0,15}$/.test(wanted) || (whose !== undefined && whose !== String(pid))) return undefined
  return Number(wanted) / 1000
}
