import type { PeerNode } from '../ports/platform.ts'
import { following, preceding } from './ring.ts'

/** Heartbeat message. */
export interface Beat extends PeerNode {
  /** Milliseconds until the next message on this subject. */
  everyMs: number
  /** Listeners of its frequent heartbeats; missing for releases that send them to all nodes and watch all. */
  to?: 'all' | 'watchers'
  /** Counts the heartbeats of this node. */
  number?: number
  /** Owners that it does not hear. */
  missing?: readonly string[]
}

export const heartbeatMs = 250
/** Silence after which a node counts as lost, in heartbeats. */
export const heartbeatsUntilLost = 4
/** Share of `lostAfterMs` after which the peer is probed, so that the answer arrives before it counts as lost. */
const doubtShare = 0.7
/** After this time its lease has expired as well. */
const abandonMs = 15_000
/** Announcements that may be missed before a node is abandoned. */
const announcementsUntilAbandoned = 3
/** Milliseconds for which a doubt of another node counts. */
const doubtMs = 2_000
/** Time for the heartbeats of a node after this one began to watch it. */
const firstBeatMs = 1_000

/** Peer node and its liveness state. */
export interface Known {
  peerNode: PeerNode
  to: Beat['to']
  heardAt: number
  /** Last time it was heard and heard us. */
  mutualAt: number
  /** This node receives its frequent heartbeats and judges it. */
  watched: boolean
  /** Silence after which it counts as lost: four of its heartbeats. */
  lostAfterMs: number
  abandonAfterMs: number
  /** Its address has answered a probe. */
  reachable: boolean
  /** Result of the latest probe during silence. */
  answers: boolean
  reported: boolean
  /** Earliest time of the next probe. */
  probeAt: number
  /** Time at which another node reported that it does not hear it. */
  doubtedAt: number
  /** Earliest time at which this node reports its own doubt. */
  reportAt: number
  /** Time of its last frequent heartbeat. */
  beatAt: number
  cancel: () => void
}

const newcomer = {
  heardAt: 0,
  mutualAt: -Infinity,
  watched: false,
  lostAfterMs: 0,
  abandonAfterMs: abandonMs,
  reachable: false,
  answers: false,
  reported: false,
  probeAt: 0,
  doubtedAt: -Infinity,
  reportAt: 0,
  beatAt: -Infinity,
  cancel: () => {},
}

/** Peer nodes by owner, with the time each was last heard. */
export class PeerNodeList {
  readonly #known = new Map<string, Known>()
  #all: readonly PeerNode[] | undefined
  #version = 0

  get all(): readonly PeerNode[] {
    return (this.#all ??= Array.from(this.#known.values(), ({ peerNode }) => peerNode))
  }

  get size(): number {
    return this.#known.size
  }

  /** Changes when a node is added or removed, or sends its heartbeats to other listeners. */
  get version(): number {
    return this.#version
  }

  get(owner: string): Known | undefined {
    return this.#known.get(owner)
  }

  /** Some node is of a release without groups. */
  get hasOlder(): boolean {
    return [...this.#known.values()].some(({ to }) => to === undefined)
  }

  /** The neighbours of `self` on the ring, as far as they need to be watched. */
  watchable(self: string, count: number): Known[] {
    return following(this.#ring, self, { nameOf: ownerOf, count }).filter(({ to }) => to === 'watchers')
  }

  /** The neighbours that watch `self`. */
  watchersOf(self: string, count: number): Known[] {
    return preceding(this.#ring, self, { nameOf: ownerOf, count })
  }

  get #ring(): Known[] {
    return [...this.#known.values()].filter(({ to }) => to !== undefined)
  }

  /** `self`: owner of this node, which the other one may not hear. */
  hear(beat: Beat, { now, self }: { now: number; self: string }): { known: Known; isNew: boolean } {
    const { everyMs: intervalMs, to } = beat
    const peerNode = nodeOf(beat)
    const before = this.#known.get(peerNode.owner)
    const known: Known = before ?? { ...newcomer, peerNode, to }
    const lostAfterMs = (to === 'watchers' ? heartbeatMs : intervalMs) * heartbeatsUntilLost
    const abandonAfterMs = Math.max(abandonMs, intervalMs * announcementsUntilAbandoned)
    if (!before || before.to !== to) this.#version++
    Object.assign(known, { peerNode, to, heardAt: Math.max(now, known.heardAt), lostAfterMs, abandonAfterMs, doubtedAt: -Infinity })
    known.mutualAt = mutualAtOf(beat, { now, self })
    this.#known.set(peerNode.owner, known)
    this.#all = undefined
    return { known, isNew: before === undefined }
  }

  /** A frequent heartbeat of a neighbour. Undefined if the node is unknown. */
  hearBeat(beat: Beat, { now, self }: { now: number; self: string }): Known | undefined {
    const known = this.#known.get(beat.owner)
    if (!known) return undefined
    Object.assign(known, { peerNode: nodeOf(beat), heardAt: Math.max(now, known.heardAt), beatAt: now, doubtedAt: -Infinity })
    known.mutualAt = mutualAtOf(beat, { now, self })
    this.#all = undefined
    return known
  }

  /** Owners that this node judges and did not hear for this number of heartbeats. */
  unheard(now: number, beats: number): string[] {
    const late = [...this.#known.values()].filter(
      (one) => isJudged(one) && now - one.heardAt > (one.lostAfterMs / heartbeatsUntilLost) * beats,
    )
    return late.map(ownerOf)
  }

  doubt(owner: string, now: number): void {
    const known = this.#known.get(owner)
    if (known) known.doubtedAt = now
  }

  /** True if this node watches it and has just heard it. */
  hears({ watched, beatAt, lostAfterMs }: Known, now: number): boolean {
    return watched && now - beatAt < lostAfterMs * doubtShare
  }

  /** Judges these and no others by their frequent heartbeats. */
  watch(wanted: ReadonlySet<Known>, now: number): void {
    for (const known of this.#known.values()) {
      if (known.watched === wanted.has(known)) continue
      known.watched = !known.watched
      if (known.watched) known.heardAt = now + firstBeatMs
      else known.cancel()
    }
  }

  /** Every peer that is known. */
  get known(): readonly Known[] {
    return [...this.#known.values()]
  }

  /** Resets all silence timers. */
  hearAll(now: number): void {
    for (const known of this.#known.values()) known.heardAt = Math.max(now, known.heardAt)
  }

  /** Nodes whose silence this node has noticed itself. */
  silent(now: number): Known[] {
    return [...this.#known.values()].filter((known) => isSilent(known, now))
  }

  /** Number of nodes that this node or another one does not hear. */
  doubted(now: number): number {
    let doubted = 0
    for (const known of this.#known.values()) if (isSilent(known, now) || isDoubted(known, now)) doubted++
    return doubted
  }

  /** Nodes without any doubt. */
  living(now: number): PeerNode[] {
    return [...this.#known.values()].filter((known) => !isSilent(known, now) && !isDoubted(known, now)).map(({ peerNode }) => peerNode)
  }

  /** Removes peers that were never judged, because of the bus or an unreachable address. */
  giveUp(now: number): boolean {
    const lost = [...this.#known.values()].filter(({ heardAt, answers, abandonAfterMs }) => !answers && now - heardAt >= abandonAfterMs)
    for (const { peerNode } of lost) this.remove(peerNode.owner)
    return lost.length > 0
  }

  has(known: Known): boolean {
    return this.#known.get(known.peerNode.owner) === known
  }

  remove(owner: string): boolean {
    this.#known.get(owner)?.cancel()
    const removed = this.#known.delete(owner)
    if (removed) this.#version++
    this.#all = undefined
    return removed
  }

  clear(): void {
    for (const owner of this.#known.keys()) this.remove(owner)
  }
}

const ownerOf = ({ peerNode }: Known): string => peerNode.owner

const nodeOf = ({ everyMs: _everyMs, to: _to, number: _number, missing: _missing, ...peerNode }: Beat): PeerNode => peerNode

const mutualAtOf = ({ missing }: Beat, { now, self }: { now: number; self: string }): number => (missing?.includes(self) ? -Infinity : now)

const isJudged = ({ to, watched }: Known): boolean => to !== 'watchers' || watched

const isSilent = (known: Known, now: number): boolean => isJudged(known) && now - known.heardAt >= known.lostAfterMs * doubtShare

const isDoubted = ({ doubtedAt }: Known, now: number): boolean => now - doubtedAt < doubtMs
