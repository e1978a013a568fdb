import type { Bus } from '../ports/platform.ts'
import type { Beat, Known, PeerNodeList } from './peer-node-list.ts'

interface NeighboursDeps {
  bus: Bus
  self: string
  list: PeerNodeList
  heard: (beat: Beat) => void
}

/** Nodes that each node watches. */
const watchedNodes = 5

/** Subject of the frequent heartbeats of a node in a group. */
export const beatOf = (owner: string): string => `beat.${owner}`

/** Receives the frequent heartbeats of the neighbours on the ring: of those that this node watches, and of those that watch it. */
export class RingNeighbours {
  readonly #deps: NeighboursDeps
  readonly #heard = new Map<Known, () => void>()
  #watchers: readonly Known[] = []
  /** Version of the list from which the neighbours were chosen. */
  #version = -1

  constructor(deps: NeighboursDeps) {
    this.#deps = deps
  }

  /** Neighbours that judge this node. */
  get watchers(): readonly Known[] {
    return this.#watchers
  }

  /** Finds them anew after a change of the list. */
  find(now: number): void {
    const { bus, self, list, heard } = this.#deps
    if (this.#version === list.version) return
    this.#version = list.version
    const watched = new Set(list.watchable(self, watchedNodes))
    const watchers = list.watchersOf(self, watchedNodes)
    const wanted = new Set([...watched, ...watchers.filter(({ to }) => to === 'watchers')])
    for (const [known, stop] of this.#heard) {
      if (wanted.has(known)) continue
      stop()
      this.#heard.delete(known)
    }
    for (const known of wanted) {
      if (this.#heard.has(known)) continue
      const stop = bus.hear(beatOf(known.peerNode.owner), (body) => heard(body as Beat))
      this.#heard.set(known, stop)
    }
    // A new watcher waits for our first heartbeat before it judges us.
    for (const one of watchers) if (!this.#watchers.includes(one)) one.mutualAt = Math.max(one.mutualAt, now)
    this.#watchers = watchers
    list.watch(watched, now)
  }

  close(): void {
    for (const stop of this.#heard.values()) stop()
    this.#heard.clear()
    this.#watchers = []
  }
}
