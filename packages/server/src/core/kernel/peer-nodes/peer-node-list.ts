import type { PeerNode } from '../ports/platform.ts'

/** Peer node and its liveness state. */
export interface Known {
  peerNode: PeerNode
  heardAt: number
  /** Last time it was heard and heard us. */
  mutualAt: number
  everyMs: number
  /** Silence after which it counts as lost: four of its heartbeats. */
  lostAfterMs: number
  /** Its address has answered a probe. */
  reachable: boolean
  /** Result of the latest probe during silence. */
  answers: boolean
  reported: boolean
  /** Earliest time of the next probe. */
  probeAt: number
  cancel: () => void
}

export const heartbeatsUntilLost = 4
/** Share of `lostAfterMs` after which the peer is probed, so that the answer arrives before it counts as lost. */
const doubtShare = 0.7
/** After this time its lease has expired as well. */
const abandonMs = 15_000

const unknownPeer = {
  heardAt: 0,
  mutualAt: -Infinity,
  everyMs: 0,
  lostAfterMs: 0,
  reachable: false,
  answers: false,
  reported: false,
  probeAt: 0,
  cancel: () => {},
}

/** Peer nodes by owner, with the time each was last heard. */
export class PeerNodeList {
  readonly #known = new Map<string, Known>()
  #all: readonly PeerNode[] = []

  get all(): readonly PeerNode[] {
    return this.#all
  }

  get size(): number {
    return this.#known.size
  }

  hear(
    peerNode: PeerNode,
    { everyMs, now, hearsUs }: { everyMs: number; now: number; hearsUs: boolean },
  ): { known: Known; isNew: boolean } {
    const before = this.#known.get(peerNode.owner)
    const known = before ?? { ...unknownPeer, peerNode }
    Object.assign(known, { peerNode, heardAt: now, everyMs, lostAfterMs: everyMs * heartbeatsUntilLost })
    known.mutualAt = hearsUs ? now : -Infinity
    this.#known.set(peerNode.owner, known)
    this.#list()
    return { known, isNew: before === undefined }
  }

  /** Resets all silence timers. */
  hearAll(now: number): void {
    for (const known of this.#known.values()) known.heardAt = now
  }

  /** Time at which each peer was still heard and heard us; Infinity without peers. */
  get mutualAt(): number {
    return Math.min(...[...this.#known.values()].map(({ mutualAt }) => mutualAt))
  }

  /** Owners that were not heard for this number of their heartbeats. */
  unheard(now: number, beats: number): string[] {
    return [...this.#known.values()].flatMap(({ peerNode, heardAt, everyMs }) => (now - heardAt > everyMs * beats ? [peerNode.owner] : []))
  }

  silent(now: number): Known[] {
    return [...this.#known.values()].filter(({ heardAt, lostAfterMs }) => now - heardAt >= lostAfterMs * doubtShare)
  }

  /** Removes peers that were never judged, because of the bus or an unreachable address. */
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
