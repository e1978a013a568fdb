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
  /** Its last heartbeat. */
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
  /** Nodes that this one judges: in groups those that it watches, otherwise all. */
  readonly #judged = new Set<Known>()
  /** Nodes that another one has doubted. */
  readonly #doubted = new Set<Known>()
  #all: readonly PeerNode[] | undefined
  #older = 0
  #version = 0

  get all(): readonly PeerNode[] {
    return (this.#all ??= Array.from(this.#known.values(), ({ peerNode }) => peerNode))
  }

  get size(): number {
    return this.#known.size
  }

  /** True if no peer can reach the database. */
  get lacksStore(): boolean {
    for (const { peerNode } of this.#known.values()) if (peerNode.storeAway !== true) return false
    return this.size > 0
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
    return this.#older > 0
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

  /** Every peer that is known. */
  get known(): readonly Known[] {
    return [...this.#known.values()]
  }

  hear(beat: Beat, at: Receipt): { known: Known; isNew: boolean } {
    const before = this.#known.get(beat.owner)
    const known = before ?? { ...newcomer, peerNode: beat, to: beat.to }
    if (!before) this.#add(known)
    if (known.to !== beat.to) this.#turn(known, beat.to)
    known.lostAfterMs = (beat.to === 'watchers' ? heartbeatMs : beat.everyMs) * heartbeatsUntilLost
    known.abandonAfterMs = Math.max(abandonMs, beat.everyMs * announcementsUntilAbandoned)
    this.#refresh(known, beat, at)
    return { known, isNew: before === undefined }
  }

  /** A frequent heartbeat of a neighbour. Undefined if the node is unknown. */
  hearBeat(beat: Beat, at: Receipt): Known | undefined {
    const known = this.#known.get(beat.owner)
    if (!known) return undefined
    known.beatAt = at.now
    this.#refresh(known, beat, at)
    return known
  }

  doubt(owner: string, now: number): void {
    const known = this.#known.get(owner)
    if (!known) return
    known.doubtedAt = now
    this.#doubted.add(known)
  }

  /** True if this node watches it and has just heard it. */
  hears({ watched, beatAt, lostAfterMs }: Known, now: number): boolean {
    return watched && now - beatAt < lostAfterMs * doubtShare
  }

  /** Judges these and no others by their frequent heartbeats. */
  watch(wanted: ReadonlySet<Known>, now: number): void {
    for (const known of wanted) if (!known.watched) this.#watch(known, now)
    for (const known of this.#judged) if (known.watched && !wanted.has(known)) this.#unwatch(known)
  }

  #watch(known: Known, now: number): void {
    known.watched = true
    known.heardAt = now + firstBeatMs
    this.#judged.add(known)
  }

  #unwatch(known: Known): void {
    known.watched = false
    known.cancel()
    if (known.to === 'watchers') this.#judged.delete(known)
  }

  judges(known: Known): boolean {
    return this.#judged.has(known)
  }

  /** Resets all silence timers. */
  hearAll(now: number): void {
    for (const known of this.#known.values()) known.heardAt = Math.max(now, known.heardAt)
  }

  /** Nodes whose silence this node has noticed itself. */
  silent(now: number): Known[] {
    return [...this.#judged].filter((known) => isSilent(known, now))
  }

  /** Owners that this node judges and did not hear for this number of heartbeats. */
  unheard(now: number, beats: number): string[] {
    const late = [...this.#judged].filter(({ heardAt, lostAfterMs }) => now - heardAt > (lostAfterMs / heartbeatsUntilLost) * beats)
    return late.map(ownerOf)
  }

  /** Nodes that this node or another one does not hear. */
  doubted(now: number): Set<Known> {
    for (const known of this.#doubted) if (now - known.doubtedAt >= doubtMs) this.#doubted.delete(known)
    return new Set([...this.silent(now), ...this.#doubted])
  }

  /** Nodes without any doubt. */
  living(now: number): PeerNode[] {
    const doubted = this.doubted(now)
    return [...this.#known.values()].filter((known) => !doubted.has(known)).map(({ peerNode }) => peerNode)
  }

  /** Removes peers that were never judged, because of the bus or an unreachable address. */
  giveUp(now: number): boolean {
    let found = false
    for (const { heardAt, answers, abandonAfterMs, peerNode } of this.#known.values())
      if (!answers && now - heardAt >= abandonAfterMs) found = this.remove(peerNode.owner)
    return found
  }

  has(known: Known): boolean {
    return this.#known.get(known.peerNode.owner) === known
  }

  remove(owner: string): boolean {
    const known = this.#known.get(owner)
    if (!known) return false
    known.cancel()
    this.#known.delete(owner)
    this.#judged.delete(known)
    this.#doubted.delete(known)
    if (known.to === undefined) this.#older--
    this.#version++
    this.#all = undefined
    return true
  }

  clear(): void {
    for (const owner of this.#known.keys()) this.remove(owner)
  }

  #add(known: Known): void {
    this.#known.set(known.peerNode.owner, known)
    if (known.to !== 'watchers') this.#judged.add(known)
    if (known.to === undefined) this.#older++
    this.#version++
  }

  /** The node has other listeners now. */
  #turn(known: Known, to: Beat['to']): void {
    if (to === undefined) this.#older++
    if (known.to === undefined) this.#older--
    known.to = to
    if (to !== 'watchers' || known.watched) this.#judged.add(known)
    else this.#judged.delete(known)
    this.#version++
  }

  #refresh(known: Known, beat: Beat, { now, self }: Receipt): void {
    known.peerNode = beat
    known.mutualAt = beat.missing?.includes(self) ? -Infinity : now
    known.heardAt = Math.max(now, known.heardAt)
    this.#doubted.delete(known)
    this.#all = undefined
  }
}

/** `self`: owner of this node, which the other one may not hear. */
interface Receipt {
  now: number
  self: string
}

const ownerOf = ({ peerNode }: Known): string => peerNode.owner

const isSilent = ({ heardAt, lostAfterMs }: Known, now: number): boolean => now - heardAt >= lostAfterMs * doubtShare
