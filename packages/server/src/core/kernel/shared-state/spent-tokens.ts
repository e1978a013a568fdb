import type { Bus, Clock } from '../ports/platform.ts'

interface SpentTokensDeps {
  bus: Bus
  self: string
  clock: Clock
  /** Topic shared by all nodes. */
  kind: string
  /** Milliseconds over which taken tokens are summed before they are published. 0: batched per tick, published immediately. */
  intervalMs: number
  /** Called when another node took tokens of this key. */
  spend: (key: string, tokens: number) => void
}

interface Spent {
  from: string
  tokens: [key: string, tokens: number][]
}

/**
 * Shares rate limits between nodes: tokens taken on one are subtracted from the buckets of all, with a short delay. Until then each node
 * may spend its own bucket; the excess is a debt that later requests wait for. Inactive on a local bus.
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

  /** Reports tokens taken on this node. */
  took(key: string, tokens = 1): void {
    const { bus, clock, intervalMs } = this.#deps
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
