import type { Bus, Clock, PeerNode, PeerNodes } from '../ports/platform.ts'
import { BusContact } from './bus-contact.ts'
import { heartbeatMs, PeerNodeList, type Beat, type Known } from './peer-node-list.ts'
import { beatOf, RingNeighbours } from './ring-neighbours.ts'

interface HeartbeatDeps {
  bus: Bus
  /** Monotonic. */
  clock: Clock
  self: string
  /** Checks whether `http` answers within `ms`. */
  probe: (http: string, ms: number) => Promise<boolean>
  /** Called for a peer that is heard but fails its health probe: if it falls silent, only its lease shows that it is gone. */
  onUnreachable: (peerNode: PeerNode) => void
}

type Described = Omit<PeerNode, 'owner'>

/** Up to this number of nodes each one hears the heartbeats of all others. */
const maxWithoutGroups = 20
/** Interval at which a watched node announces itself to the nodes that do not watch it. */
const announceMs = 5_000
/** Milliseconds per node: with many nodes each announces itself less often, so that none hears more than 20 announcements per second. */
const announceMsPerNode = 50
/** Timer delay that indicates a stall of this process. */
const stallMs = 400
/** Time for peers to be heard after a stall or a bus reconnect. */
const graceMs = 1_000
const probeMs = 300
const reprobeMs = 5_000
/** Interval at which all nodes are checked for those to abandon. */
const abandonPollMs = 1_000
/** Interval at which a lasting doubt is reported again. */
const redoubtMs = 1_000
/** Shortest interval of announcements of a change. */
const changeMs = 1_000
/** Heartbeats without which a peer is reported as missing. */
const missingBeats = 1.6
/** After a node counted another as gone, the two may not hear each other: for this time both prove that they own their calls. */
const missingMs = 6_000
/**
 * A watcher that last heard a node longer ago leaves its calls to the lease: on the other side of a split the node may have found new watchers
 * by then, and be in contact with them.
 */
const freshMs = 2_000

/**
 * Sends heartbeats, listens for peers and decides conservatively which are gone. Does nothing on a bus that is `alone`.
 *
 * Few nodes send their heartbeats to all. Many form groups: each sends its heartbeats to the nodes that watch it, which are its neighbours
 * on a ring of owners, and announces itself to the others every few seconds. A watcher reports doubts and losses to all nodes. Heartbeats name
 * the nodes that their sender misses, and a node also hears those of its watchers.
 */
export class Heartbeat implements PeerNodes {
  readonly #deps: HeartbeatDeps
  readonly #list = new PeerNodeList()
  /** How peers hear this node. */
  readonly contact: BusContact
  readonly #neighbours: RingNeighbours
  readonly #gone = new Set<(peerNode: PeerNode) => void>()
  readonly #changed = new Set<() => void>()
  readonly #stalled = new Set<(ms: number) => void>()
  readonly #probing = new Set<Promise<void>>()
  readonly #notListening: (() => void)[] = []
  #describe: (() => Described) | undefined
  #cancelTimer: () => void = () => {}
  #dueAt = Infinity
  #announcedAt = -Infinity
  #announced: { to?: Beat['to']; everyMs: number; storeAway?: boolean | undefined } = { everyMs: Infinity }
  #abandonAt = -Infinity
  #quietUntil = -Infinity
  /** Owners counted as gone, with the time until which they are missing. */
  readonly #missing = new Map<string, number>()
  /** Silent peers that count as gone once the bus has delivered everything sent before this own heartbeat. */
  readonly #condemned = new Map<Known, number>()

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps
    const { bus, self, clock } = deps
    const list = this.#list
    this.#neighbours = new RingNeighbours({ bus, self, list, heard: (beat) => this.#heardBeat(beat) })
    const judges = (): readonly Known[] => (this.#rhythm.to === 'all' ? list.known : this.#neighbours.watchers)
    const misses = (): boolean => this.#missing.size > 0
    this.contact = new BusContact({ elapsed: () => clock.elapsed(), list, judges, misses })
  }

  get self(): string {
    return this.#deps.self
  }

  others(): readonly PeerNode[] {
    return this.#list.all
  }

  living(): readonly PeerNode[] {
    return this.#list.living(this.#deps.clock.elapsed())
  }

  onGone(gone: (peerNode: PeerNode) => void): () => void {
    return entered(this.#gone, gone)
  }

  onChange(changed: () => void): () => void {
    return entered(this.#changed, changed)
  }

  onStall(stalled: (ms: number) => void): () => void {
    return entered(this.#stalled, stalled)
  }

  late(): boolean {
    return this.#describe !== undefined && this.#deps.clock.elapsed() - this.#dueAt > stallMs
  }

  /** Starts sending heartbeats. */
  start(describe: () => Described): void {
    const { bus } = this.#deps
    if (bus.alone) return
    this.#describe = describe
    this.#notListening.push(
      bus.hear('alive', (body) => this.#heard(body as Beat)),
      bus.hear(`alive.${this.self}`, (body) => this.#heard(body as Beat)),
      bus.hear(beatOf(this.self), (body) => this.#heard(body as Beat)),
      bus.hear('doubt', (body) => this.#heardDoubt(body as Doubt)),
      bus.hear('gone', (body) => this.#heardGone(body as Loss)),
      bus.hear('leave', (body) => this.#left((body as Pick<Beat, 'owner'>).owner)),
      bus.onConnection((connected) => connected && this.#giveGrace()),
    )
    this.#giveGrace()
    this.#beat()
  }

  /** Publishes a change of this node immediately. */
  notify(): void {
    const rhythm = this.#rhythm
    this.#announced = { ...rhythm, storeAway: this.#describe?.().storeAway }
    this.#announcedAt = this.#deps.clock.elapsed()
    this.#notify('alive', rhythm)
  }

  async close(): Promise<void> {
    if (!this.#describe) return
    this.#describe = undefined
    this.#cancelTimer()
    for (const leave of this.#notListening.splice(0)) leave()
    this.#neighbours.close()
    this.contact.close()
    this.#deps.bus.notify('leave', { owner: this.self })
    this.#list.clear()
    await Promise.all(this.#probing)
  }

  /** A node of a release without groups abandons nodes that announce themselves less often. */
  get #rhythm(): Rhythm {
    const { size, hasOlder } = this.#list
    if (size < maxWithoutGroups) return { to: 'all', everyMs: heartbeatMs }
    return { to: 'watchers', everyMs: hasOlder ? announceMs : Math.max(announceMs, size * announceMsPerNode) }
  }

  #notify(subject: string, rhythm: Rhythm): void {
    const { bus, self } = this.#deps
    if (!this.#describe) return
    const missing = this.#missingNow()
    const beat: Beat = { ...this.#describe(), owner: self, ...rhythm, number: this.contact.nextBeat() }
    bus.notify(subject, missing.length > 0 ? { ...beat, missing } : beat)
  }

  #beat(): void {
    const { clock } = this.#deps
    const now = clock.elapsed()
    const lateMs = now - this.#dueAt
    if (lateMs > stallMs) this.#stood(lateMs)
    const { to } = this.#rhythm
    if (to === 'all' || this.#mustAnnounce(now)) this.notify()
    if (to === 'watchers') this.#beatForWatchers()
    this.#neighbours.find(now)
    this.#judge(now)
    this.#dueAt = now + heartbeatMs
    this.#cancelTimer = clock.after(heartbeatMs, () => this.#beat())
  }

  /** The others need to know at once that this node cannot reach the database: until none can, some may take over calls. */
  #mustAnnounce(now: number): boolean {
    const { to, everyMs } = this.#rhythm
    // More nodes joined since: the last announcement promised the next one earlier.
    const dueMs = Math.min(everyMs, this.#announced.everyMs)
    if (to !== this.#announced.to || now - this.#announcedAt >= dueMs) return true
    return this.#describe?.().storeAway !== this.#announced.storeAway && now - this.#announcedAt >= changeMs
  }

  #beatForWatchers(): void {
    this.#notify(beatOf(this.self), { to: this.#rhythm.to, everyMs: heartbeatMs })
  }

  /** A stalled node has heard no heartbeats, so it grants a grace period instead of judging peers. */
  #stood(ms: number): void {
    this.#giveGrace()
    for (const stalled of this.#stalled) stalled(ms)
  }

  #giveGrace(): void {
    const now = this.#deps.clock.elapsed()
    this.#quietUntil = now + graceMs
    this.#list.hearAll(now)
  }

  /** Peers that this node does not hear, unless the fault is its own. */
  #missingNow(): string[] {
    const now = this.#deps.clock.elapsed()
    for (const [owner, until] of this.#missing) if (now >= until) this.#missing.delete(owner)
    if (this.#mayBeOurFault(now)) return []
    return [...this.#list.unheard(now, missingBeats), ...this.#missing.keys()]
  }

  #heard(beat: Beat): void {
    const now = this.#deps.clock.elapsed()
    if (beat.owner === this.self) return this.#echoed(beat)
    this.#missing.delete(beat.owner)
    const { known, isNew } = this.#list.hear(beat, { now, self: this.self })
    this.contact.heard(beat.owner)
    if (isNew) this.#greetNode(beat.owner)
    this.#probeFirst(known, now)
  }

  #heardBeat(beat: Beat): void {
    const now = this.#deps.clock.elapsed()
    const known = this.#list.hearBeat(beat, { now, self: this.self })
    if (!known) return
    this.#missing.delete(beat.owner)
    this.contact.heard(beat.owner)
    this.#probeFirst(known, now)
  }

  #echoed({ number = 0 }: Beat): void {
    this.contact.echoed(number)
    for (const [known, since] of this.#condemned) if (number >= since) this.#conclude(known)
  }

  /** The silence of an address that never answered proves nothing, so a node that this one judges is probed while it is alive. */
  #probeFirst(known: Known, now: number): void {
    if (this.#list.judges(known) && !known.reachable && now >= known.probeAt) this.#getToKnow(known)
  }

  /** Another node does not hear this one, or a third one. */
  #heardDoubt({ owner, by }: Doubt): void {
    if (by === this.self) return
    if (owner !== this.self) return this.#list.doubt(owner, this.#deps.clock.elapsed())
    this.contact.doubted()
    this.notify()
  }

  /** Trusts the watcher unless this node hears the lost one itself, or has just stalled and may hear old messages. */
  #heardGone(loss: Loss): void {
    const { owner, by, silentMs } = loss
    const now = this.#deps.clock.elapsed()
    const isQuiet = now < this.#quietUntil
    if (by === this.self) return
    if (owner === this.self) {
      if (!isQuiet) this.#stood(silentMs)
      this.contact.doubted()
      return this.notify()
    }
    const known = this.#list.get(owner)
    if (!known || this.#list.hears(known, now)) return
    if (isQuiet) this.#left(owner)
    else this.#lost(known, loss)
  }

  /** Sends one unicast heartbeat to the new node. */
  #greetNode(owner: string): void {
    this.#notify(`alive.${owner}`, this.#rhythm)
    this.#notifyChange()
  }

  #left(owner: string): void {
    this.contact.left(owner)
    this.#missing.delete(owner)
    if (this.#list.remove(owner)) this.#notifyChange()
  }

  #judge(now: number): void {
    if (now >= this.#abandonAt) {
      this.#abandonAt = now + abandonPollMs
      if (this.#list.giveUp(now)) {
        this.contact.vanished()
        this.#notifyChange()
      }
    }
    if (this.#mayBeOurFault(now)) return
    const silent = this.#list.silent(now)
    for (const known of silent) this.#reportDoubt(known, now)
    if (this.#mayBeTheBus(now)) return
    for (const known of silent) if (known.reachable && now >= known.probeAt) this.#suspicion(known)
  }

  #reportDoubt(known: Known, now: number): void {
    if (known.to !== 'watchers' || now < known.reportAt) return
    known.reportAt = now + redoubtMs
    this.#deps.bus.notify('doubt', { owner: known.peerNode.owner, by: this.self } satisfies Doubt)
  }

  #mayBeOurFault(now: number): boolean {
    const isLate = now < this.#quietUntil || now - this.#dueAt > stallMs || now - this.contact.echoAt > heartbeatMs * 2
    return isLate || !this.#deps.bus.connected
  }

  /** More than half of all nodes are doubted by this one or another. */
  #mayBeTheBus(now: number): boolean {
    return this.#list.doubted(now).size * 2 > this.#list.size + 1
  }

  #getToKnow(known: Known): void {
    known.probeAt = this.#deps.clock.elapsed() + reprobeMs
    this.#probe(known, (answers) => {
      known.reachable = answers
      if (!answers && !known.reported) this.#deps.onUnreachable(known.peerNode)
      known.reported = !answers
      if (answers) known.probeAt = 0
    })
  }

  #suspicion(known: Known): void {
    const { clock } = this.#deps
    known.probeAt = Infinity
    this.#probe(known, (answers) => {
      const now = clock.elapsed()
      known.probeAt = now + graceMs
      known.answers = answers
      if (!answers) known.cancel = clock.after(Math.max(0, known.heardAt + known.lostAfterMs - now), () => this.#condemn(known))
    })
  }

  /** Its heartbeats may wait in our queue: the echo of one more heartbeat comes after them. */
  #condemn(known: Known): void {
    this.#condemned.set(known, this.contact.lastBeat + 1)
    this.#beatForWatchers()
  }

  #conclude(known: Known): void {
    const now = this.#deps.clock.elapsed()
    this.#condemned.delete(known)
    if (!this.#list.has(known) || now - known.heardAt < known.lostAfterMs) return
    if (this.#mayBeOurFault(now) || this.#mayBeTheBus(now)) return
    const isStale = known.to === 'watchers' && now - known.beatAt >= freshMs
    const loss: Loss = { ...known.peerNode, by: this.self, silentMs: now - known.heardAt, ...(isStale && { isStale }) }
    if (known.to === 'watchers') this.#deps.bus.notify('gone', loss)
    this.#missing.set(known.peerNode.owner, now + missingMs)
    this.#lost(known, loss)
  }

  #lost(known: Known, { by: _by, silentMs: _silentMs, isStale, ...peerNode }: Loss): void {
    this.#list.remove(known.peerNode.owner)
    this.contact.vanished()
    this.#notifyChange()
    if (!isStale) for (const gone of this.#gone) gone(peerNode)
  }

  #probe(known: Known, learn: (answers: boolean) => void): void {
    const probing = this.#deps.probe(known.peerNode.http, probeMs).then((answers) => {
      if (this.#list.has(known)) learn(answers)
    })
    this.#probing.add(probing)
    void probing.finally(() => this.#probing.delete(probing))
  }

  #notifyChange(): void {
    for (const changed of this.#changed) changed()
  }
}

interface Rhythm {
  to: NonNullable<Beat['to']>
  everyMs: number
}

/** A watcher does not hear this node. */
interface Doubt {
  owner: string
  by: string
}

/** A watcher found this node gone, in its last state. */
interface Loss extends PeerNode {
  by: string
  silentMs: number
  /** Its lease decides about its calls. */
  isStale?: true
}

const entered = <T>(all: Set<T>, one: T): (() => void) => {
  all.add(one)
  return () => void all.delete(one)
}
