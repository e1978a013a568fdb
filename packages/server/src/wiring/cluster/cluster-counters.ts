import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { PeerNodes } from '#core/kernel/ports/neighbours.ts'
import { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import { SpentTokens } from '#core/kernel/shared-state/spent-tokens.ts'

/** What the processes of an installation know and count together. A process on its own tells nobody. */
export class ClusterCounters {
  readonly #parts: { bus: Bus; neighbours: PeerNodes; clock: Clock }
  readonly #opened: { close(): void }[] = []

  constructor({ bus, evenClock: clock }: { bus: Bus; evenClock: Clock }, peerNodes: PeerNodes) {
    this.#parts = { bus, neighbours: peerNodes, clock }
  }

  state<T>(kind: string, changed?: (key: string) => void): SharedState<T> {
    return this.#open(new SharedState<T>({ ...this.#parts, kind }, changed))
  }

  rate(kind: string, intervalMs: number, spend: (key: string, tokens: number) => void): SpentTokens {
    return this.#open(new SpentTokens({ ...this.#parts, self: this.#parts.neighbours.self, kind, everyMs: intervalMs, spend }))
  }

  /** How many processes there are, and which of them this one is, from 0: all agree on it. */
  get place(): { of: number; at: number } {
    const { neighbours: peerNodes } = this.#parts
    const others = peerNodes.others()
    return { of: others.length + 1, at: others.filter(({ owner }) => owner < peerNodes.self).length }
  }

  async close(): Promise<void> {
    for (const one of this.#opened) one.close()
  }

  #open<T extends { close(): void }>(one: T): T {
    this.#opened.push(one)
    return one
  }
}
