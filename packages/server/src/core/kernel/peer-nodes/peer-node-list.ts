import type { PeerNode } from '../ports/neighbours.ts'

/** A neighbour, and what is known about it. */
export interface Known {
  peerNode: PeerNode
  heardAt: number
  /** Silent for so long: four of its beats. */
  lostAfterMs: number
  /** It has answered at its address. */
  reachable: boolean
  /** Whether it did when it was last asked in doubt. */
  answers: boolean
  reported: boolean
  /** Not asked again before. */
  probeAt: number
  cancel: () => void
}

const heartbeatsUntilLost = 4
/** Asked for its health before it is gone, so that the answer is there when it counts. */
const doubtShare = 0.7
/** Then its lease has ended as well, whatever became of it. */
const abandonMs = 15_000

const outsideNumber = { heardAt: 0, lostAfterMs: 0, reachable: false, answers: false, reported: false, probeAt: 0, cancel: () => {} }

/** Who was heard, and when. */
export class PeerNodeList {
  readonly #known = new Map<string, Known>()
  #all: readonly PeerNode[] = []

  get all(): readonly PeerNode[] {
    return this.#all
  }

  get size(): number {
    return this.#known.size
  }

  hear(peerNode: PeerNode, { everyMs: intervalMs, now }: { everyMs: number; now: number }): { known: Known; isNew: boolean } {
    const before = this.#known.get(peerNode.owner)
    const known = before ?? { ...outsideNumber, peerNode }
    Object.assign(known, { peerNode, heardAt: now, lostAfterMs: intervalMs * heartbeatsUntilLost })
    this.#known.set(peerNode.owner, known)
    this.#list()
    return { known, isNew: before === undefined }
  }

  /** As if all had been heard just now. */
  hearAll(now: number): void {
    for (const known of this.#known.values()) known.heardAt = now
  }

  silent(now: number): Known[] {
    return [...this.#known.values()].filter(({ heardAt, lostAfterMs }) => now - heardAt >= lostAfterMs * doubtShare)
  }

  /** Those that were never judged, because of the bus or because they cannot be reached. */
  giveUp(now: number): boolean {
    const lost = [...this.#known.values()].filter(({ heardAt, answers }) => !answers && now - heardAt >= abandonMs)
    for (const { peerNode } of lost) this.remove(peerNode.owner)
    return lost.length > 0
  }

  has(known: Known): boolean {
    return this.#known.get(known.peerNode.owner) === known
  }

  remove(owner: string): boolean {
    this.#known.get(owner)?.cancel()
    const removed = this.#known.delete(owner)
    this.#list()
    return removed
  }

  clear(): void {
    for (const owner of this.#known.keys()) this.remove(owner)
  }

  #list(): void {
    this.#all = [...this.#known.values()].map(({ peerNode }) => peerNode)
  }
}
