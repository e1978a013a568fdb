import type { Clock } from '#core/kernel/ports/platform.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'

interface TrunkPulseOptions {
  clock: Clock
  /** Addresses of the trunk, best first. */
  locate: () => Promise<readonly Flow[]>
  /** Sends OPTIONS there; returns the status of the answer, 408 or 503 without one. */
  ping: (to: Flow) => Promise<number>
  /** Result of one ping. */
  heard: (from: Flow, answered: boolean) => void
  changed: () => void
}

export const PULSE_MS = 30_000
/** A later answer would not help a caller either. */
export const PING_TIMEOUT_MS = 10_000
const MOST_FAILURES = 2
const MOST_FLOWS = 4

/** Whether the far end of a trunk answers. It counts as down after two failures, and as up again after one answer. */
export class TrunkPulse {
  readonly #options: TrunkPulseOptions
  #failures = 0
  readonly #stopping = new AbortController()
  #cancel = (): void => {}

  constructor(options: TrunkPulseOptions) {
    this.#options = options
  }

  start(): void {
    void this.#beat()
  }

  get alive(): boolean {
    return this.#failures < MOST_FAILURES
  }

  stop(): void {
    this.#stopping.abort()
    this.#cancel()
  }

  async #beat(): Promise<void> {
    const answered = await this.#pingAll()
    if (this.#stopping.signal.aborted) return
    const before = this.alive
    this.#failures = answered ? 0 : this.#failures + 1
    this.#cancel = this.#options.clock.after(PULSE_MS, () => void this.#beat())
    if (this.alive !== before) this.#options.changed()
  }

  async #pingAll(): Promise<boolean> {
    const flows = await this.#options.locate().catch(() => [])
    if (this.#stopping.signal.aborted) return false
    const answers = await Promise.all(flows.slice(0, MOST_FLOWS).map((flow) => this.#answers(flow)))
    return answers.includes(true)
  }

  async #answers(flow: Flow): Promise<boolean> {
    const { signal } = this.#stopping
    const ping = this.#options.ping(flow).catch(() => 503)
    const answered = isSignOfLife(await atMost(this.#options.clock, PING_TIMEOUT_MS, ping, 408, signal))
    if (!signal.aborted) this.#options.heard(flow, answered)
    return answered
  }
}

/** Many carriers reject OPTIONS, but a rejection is an answer, too. */
const isSignOfLife = (status: number): boolean => status !== 408 && status !== 480 && (status < 500 || status === 501 || status >= 600)
