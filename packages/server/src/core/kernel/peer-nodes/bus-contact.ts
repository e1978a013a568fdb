import type { Contact } from '../ports/platform.ts'
import { heartbeatMs, heartbeatsUntilLost, type Known, type PeerNodeList } from './peer-node-list.ts'

interface ContactDeps {
  /** The heartbeat's clock. */
  elapsed: () => number
  list: PeerNodeList
  /** Peers that may count this node as gone. */
  judges: () => readonly Known[]
  /** This node counted another one as gone a short time ago: the two may not hear each other. */
  misses: () => boolean
}

const lostAfterMs = heartbeatMs * heartbeatsUntilLost
/** Share of the silence after which a peer counts as gone: a node that hears itself no longer stops sending by then. */
const echoShare = 0.9
/**
 * A peer that stopped hearing this node may count it as gone after the last three quarters of that silence: its last heartbeat here may be as
 * old as one of ours there.
 */
const mutualShare = 0.65
/** Own heartbeats remembered until their echo. */
const maxUnechoed = 64
/** After a report that another node does not hear this one, contact counts as lost for this time. */
const doubtedMs = 2_000
/** A node that counts as gone may live on the other side of a split, and reach the database: longer than a lease. */
const vanishedMs = 60_000

/** Numbers the heartbeats of this node, and notes which of them the bus delivered and which peers hear them. */
export class BusContact implements Contact {
  readonly #deps: ContactDeps
  readonly #listeners = new Set<() => void>()
  /** Owners that were heard and did not leave: they may take over calls of this node, even if it counts them as gone. */
  readonly #met = new Set<string>()
  /** Sending times of heartbeats not echoed yet, by number. */
  readonly #sent = new Map<number, number>()
  #lastBeat = 0
  #echoSentAt = -Infinity
  #doubtedAt = -Infinity
  #vanishedAt = -Infinity
  /** Time of the last own heartbeat echoed by the bus. */
  echoAt = -Infinity

  constructor(deps: ContactDeps) {
    this.#deps = deps
  }

  get alone(): boolean {
    return this.#met.size === 0
  }

  get echoSentAt(): number {
    return this.#echoSentAt
  }

  get heardUntil(): number {
    if (this.#deps.misses() || this.#deps.elapsed() - this.#doubtedAt < doubtedMs) return -Infinity
    const mutualAt = this.#deps.judges().reduce((least, one) => Math.min(least, one.mutualAt), Infinity)
    return Math.min(this.#echoSentAt + lostAfterMs * echoShare, mutualAt + lostAfterMs * mutualShare)
  }

  get peersLackStore(): boolean {
    const { list, elapsed } = this.#deps
    return elapsed() - this.#vanishedAt >= vanishedMs && list.lacksStore
  }

  onContact(contact: () => void): () => void {
    this.#listeners.add(contact)
    return () => void this.#listeners.delete(contact)
  }

  /** Number of the last own heartbeat. */
  get lastBeat(): number {
    return this.#lastBeat
  }

  /** Number of a heartbeat sent now. */
  nextBeat(): number {
    this.#sent.set(++this.#lastBeat, this.#deps.elapsed())
    for (const number of this.#sent.keys()) if (number < this.#lastBeat - maxUnechoed) this.#sent.delete(number)
    return this.#lastBeat
  }

  /** The bus delivered an own heartbeat. */
  echoed(number = 0): void {
    this.echoAt = this.#deps.elapsed()
    const sentAt = this.#sent.get(number)
    if (sentAt === undefined) return
    this.#sent.delete(number)
    this.#echoSentAt = Math.max(this.#echoSentAt, sentAt)
    this.#notify()
  }

  heard(owner: string): void {
    this.#met.add(owner)
    this.#notify()
  }

  left(owner: string): void {
    this.#met.delete(owner)
  }

  /** Another node counts as gone, and did not say that it leaves. */
  vanished(): void {
    this.#vanishedAt = this.#deps.elapsed()
  }

  /** Another node does not hear this one. */
  doubted(): void {
    this.#doubtedAt = this.#deps.elapsed()
    this.#notify()
  }

  close(): void {
    this.#met.clear()
  }

  #notify(): void {
    for (const contact of this.#listeners) contact()
  }
}
