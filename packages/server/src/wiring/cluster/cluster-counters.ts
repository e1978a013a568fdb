import type { Bus, Clock, PeerNodes } from '#core/kernel/ports/platform.ts'
import { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import { SpentTokens } from '#core/kernel/shared-state/spent-tokens.ts'

/** Shared state and counters of the cluster. A single node sends nothing. */
export class ClusterCounters {
  readonly #parts: { bus: Bus; peerNodes: PeerNodes; clock: Clock }
  readonly #opened: { close(): void }[] = []

  constructor({ bus, evenClock: clock }: { bus: Bus; evenClock: Clock }, peerNodes: PeerNodes) {
    this.#parts = { bus, peerNodes, clock }
  }

  state<T>(kind: string, changed?: (key: string) => void): SharedState<T> {
    return this.#open(new SharedState<T>({ ...this.#parts, kind }, changed))
  }

  rate(kind: string, intervalMs: number, spend: (key: string, tokens: number) => void): SpentTokens {
    return this.#open(new SpentTokens({ ...this.#parts, self: this.#parts.peerNodes.self, kind, intervalMs, spend }))
  }

  /** Number of nodes, and the index of this one from 0, consistent across the cluster. */
  get place(): { of: number; at: number } {
    const { peerNodes } = this.#parts
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
