import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'

export interface SpentTokensDeps {
  bus: Bus
  self: string
  clock: Clock
  /** What it is about; processes agree on it. */
  kind: string
  /** How long what was taken is added up before it is told. 0: what happens together is told together, at once. */
  everyMs: number
  /** Another process took so many under this name. */
  spend: (key: string, tokens: number) => void
}

interface Spent {
  from: string
  tokens: [key: string, tokens: number][]
}

/**
 * Lets processes count rates together: what is taken at one is taken from the buckets of all, a moment later. In that moment each may give away
 * what it has; that is a debt which later ones wait for. Alone, a process tells nobody.
 */
export class SpentTokens {
  readonly #deps: SpentTokensDeps
  readonly #notListening: () => void
  #unsent = new Map<string, number>()
  #cancelTimer: () => void = () => {}

  constructor(deps: SpentTokensDeps) {
    this.#deps = deps
    const { bus, self, spend } = deps
    this.#notListening = bus.alone
      ? () => {}
      : bus.hear(this.#subject, (body) => {
          const { from, tokens } = body as Spent
          if (from !== self) for (const [key, count] of tokens) spend(key, count)
        })
  }

  /** So many were taken here. */
  took(key: string, tokens = 1): void {
    const { bus, clock, everyMs: intervalMs } = this.#deps
    if (bus.alone) return
    if (this.#unsent.size === 0)
      if (intervalMs === 0) queueMicrotask(() => this.#notify())
      else this.#cancelTimer = clock.after(intervalMs, () => this.#notify())
    this.#unsent.set(key, (this.#unsent.get(key) ?? 0) + tokens)
  }

  close(): void {
    this.#cancelTimer()
    this.#notListening()
  }

  get #subject(): string {
    return `spent.${this.#deps.kind}`
  }

  #notify(): void {
    const { bus, self } = this.#deps
    const tokens = [...this.#unsent]
    this.#unsent = new Map()
    bus.notify(this.#subject, { from: self, tokens } satisfies Spent)
  }
}
