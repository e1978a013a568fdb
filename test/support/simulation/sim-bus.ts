import { NoAnswerError, type Bus, type Hearing } from '#core/kernel/ports/platform.ts'
import type { SimHost, SimTime } from './sim-time.ts'

interface SimNetOptions {
  time: SimTime
  roll: (sides: number) => number
  /** Milliseconds between two regions, one way. */
  apartMs: number
  /** Share of deliveries that are lost, in thousandths. */
  lossPerMille: number
}

interface Listener {
  host: SimHost
  hearing: Hearing
  /** Only counts the message: simulating what each of 1,000 processes stores would need more memory than a machine has. */
  countOnly: boolean
}

const maxNearMs = 2

/** Network between simulated processes. */
export class SimNet {
  readonly #options: SimNetOptions
  readonly #listeners = new Map<string, Set<Listener>>()
  /** Regions cut off from all others. */
  readonly cut = new Set<string>()
  /** Deliveries by the first word of the subject, and messages sent. */
  readonly heard = new Map<string, number>()
  sent = 0

  constructor(options: SimNetOptions) {
    this.#options = options
  }

  bus(host: SimHost): Bus {
    return {
      alone: false,
      connected: true,
      answer: () => () => {},
      ask: (subject) => Promise.reject(new NoAnswerError(subject)),
      askAll: () => Promise.resolve([]),
      notify: (subject, body) => this.#notify(host, subject, body),
      hear: (subject, hearing) => this.#hear(subject, { host, hearing, countOnly: false }),
      onConnection: () => () => {},
      close: () => Promise.resolve(),
    }
  }

  /** Bus of which messages are counted, but not delivered. */
  countingBus(host: SimHost): Bus {
    return { ...this.bus(host), hear: (subject, hearing) => this.#hear(subject, { host, hearing, countOnly: true }) }
  }

  reach(from: SimHost, to: SimHost): boolean {
    return from.region === to.region || (!this.cut.has(from.region) && !this.cut.has(to.region))
  }

  latencyMs(from: SimHost, to: SimHost): number {
    return 1 + this.#options.roll(maxNearMs) + (from.region === to.region ? 0 : this.#options.apartMs)
  }

  resetCounts(): void {
    this.heard.clear()
    this.sent = 0
  }

  #hear(subject: string, listener: Listener): () => void {
    const all = this.#listeners.get(subject) ?? new Set()
    this.#listeners.set(subject, all.add(listener))
    return () => void all.delete(listener)
  }

  #notify(from: SimHost, subject: string, body: unknown): void {
    this.sent++
    const listeners = this.#listeners.get(subject)
    if (!listeners) return
    const { roll, time, lossPerMille } = this.#options
    const byLatency = new Map<number, Listener[]>()
    let counted = 0
    for (const listener of listeners) {
      if (listener.host.dead || !this.reach(from, listener.host)) continue
      if (lossPerMille > 0 && roll(1_000) < lossPerMille) continue
      counted++
      if (listener.countOnly) continue
      const ms = this.latencyMs(from, listener.host)
      const together = byLatency.get(ms)
      if (together) together.push(listener)
      else byLatency.set(ms, [listener])
    }
    const kind = subject.split('.', 1)[0] ?? ''
    this.heard.set(kind, (this.heard.get(kind) ?? 0) + counted)
    for (const [ms, together] of byLatency)
      time.after(ms, () => {
        for (const { host, hearing } of together) host.run(() => hearing(body, subject))
      })
  }
}
