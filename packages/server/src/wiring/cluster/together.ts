import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Neighbours } from '#core/kernel/ports/neighbours.ts'
import { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import { SpentTokens } from '#core/kernel/shared-state/spent-tokens.ts'

/** What the processes of an installation know and count together. A process on its own tells nobody. */
export class Together {
  readonly #parts: { bus: Bus; neighbours: Neighbours; clock: Clock }
  readonly #opened: { close(): void }[] = []

  constructor({ bus, evenClock: clock }: { bus: Bus; evenClock: Clock }, neighbours: Neighbours) {
    this.#parts = { bus, neighbours, clock }
  }

  state<T>(kind: string, changed?: (key: string) => void): SharedState<T> {
    return this.#open(new SharedState<T>({ ...this.#parts, kind }, changed))
  }

  rate(kind: string, everyMs: number, spend: (key: string, tokens: number) => void): SpentTokens {
    return this.#open(new SpentTokens({ ...this.#parts, self: this.#parts.neighbours.self, kind, everyMs, spend }))
  }

  /** How many processes there are, and which of them this one is, from 0: all agree on it. */
  get place(): { of: number; at: number } {
    const { neighbours } = this.#parts
    const others = neighbours.others()
    return { of: others.length + 1, at: others.filter(({ owner }) => owner < neighbours.self).length }
  }

  async close(): Promise<void> {
    for (const one of this.#opened) one.close()
  }

  #open<T extends { close(): void }>(one: T): T {
    this.#opened.push(one)
    return one
  }
}
