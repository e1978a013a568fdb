import type { Neighbour } from '../ports/neighbours.ts'

/** A neighbour, and what is known about it. */
export interface Known {
  neighbour: Neighbour
  heardAt: number
  /** Silent for so long: four of its beats. */
  goneMs: number
  /** It has answered at its address. */
  reachable: boolean
  /** Whether it did when it was last asked in doubt. */
  answers: boolean
  reported: boolean
  /** Not asked again before. */
  probeAt: number
  cancel: () => void
}

const beatsUntilGone = 4
/** Asked for its health before it is gone, so that the answer is there when it counts. */
const doubtShare = 0.7
/** Then its lease has ended as well, whatever became of it. */
const giveUpMs = 15_000

const stranger = { heardAt: 0, goneMs: 0, reachable: false, answers: false, reported: false, probeAt: 0, cancel: () => {} }

/** Who was heard, and when. */
export class NeighbourList {
  readonly #known = new Map<string, Known>()
  #all: readonly Neighbour[] = []

  get all(): readonly Neighbour[] {
    return this.#all
  }

  get size(): number {
    return this.#known.size
  }

  hear(neighbour: Neighbour, { everyMs, now }: { everyMs: number; now: number }): { known: Known; isNew: boolean } {
    const before = this.#known.get(neighbour.owner)
    const known = before ?? { ...stranger, neighbour }
    Object.assign(known, { neighbour, heardAt: now, goneMs: everyMs * beatsUntilGone })
    this.#known.set(neighbour.owner, known)
    this.#list()
    return { known, isNew: before === undefined }
  }

  /** As if all had been heard just now. */
  hearAll(now: number): void {
    for (const known of this.#known.values()) known.heardAt = now
  }

  silent(now: number): Known[] {
    return [...this.#known.values()].filter(({ heardAt, goneMs }) => now - heardAt >= goneMs * doubtShare)
  }

  /** Those that were never judged, because of the bus or because they cannot be reached. */
  giveUp(now: number): boolean {
    const lost = [...this.#known.values()].filter(({ heardAt, answers }) => !answers && now - heardAt >= giveUpMs)
    for (const { neighbour } of lost) this.remove(neighbour.owner)
    return lost.length > 0
  }

  has(known: Known): boolean {
    return this.#known.get(known.neighbour.owner) === known
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
    this.#all = [...this.#known.values()].map(({ neighbour }) => neighbour)
  }
}
