import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'

export interface SpentTokensParts {
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
  readonly #parts: SpentTokensParts
  readonly #deaf: () => void
  #untold = new Map<string, number>()
  #cancelTimer: () => void = () => {}

  constructor(parts: SpentTokensParts) {
    this.#parts = parts
    const { bus, self, spend } = parts
    this.#deaf = bus.alone
      ? () => {}
      : bus.hear(this.#subject, (body) => {
          const { from, tokens } = body as Spent
          if (from !== self) for (const [key, count] of tokens) spend(key, count)
        })
  }

  /** So many were taken here. */
  took(key: string, tokens = 1): void {
    const { bus, clock, everyMs } = this.#parts
    if (bus.alone) return
    if (this.#untold.size === 0)
      if (everyMs === 0) queueMicrotask(() => this.#tell())
      else this.#cancelTimer = clock.after(everyMs, () => this.#tell())
    this.#untold.set(key, (this.#untold.get(key) ?? 0) + tokens)
  }

  close(): void {
    this.#cancelTimer()
    this.#deaf()
  }

  get #subject(): string {
    return `spent.${this.#parts.kind}`
  }

  #tell(): void {
    const { bus, self } = this.#parts
    const tokens = [...this.#untold]
    this.#untold = new Map()
    bus.tell(this.#subject, { from: self, tokens } satisfies Spent)
  }
}
