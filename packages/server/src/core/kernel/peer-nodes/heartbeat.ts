import type { Bus, Clock, Contact, PeerNode, PeerNodes } from '../ports/platform.ts'
import { heartbeatsUntilLost, PeerNodeList, type Known } from './peer-node-list.ts'

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

const heartbeatMs = 250
/** Milliseconds per node: with many nodes each beats less often, so none receives more than 200 heartbeats per second. */
const msForEach = 5
/** Timer delay that indicates a stall of this process. */
const stallMs = 400
/** Time for peers to be heard after a stall or a bus reconnect. */
const graceMs = 1_000
const probeMs = 300
const reprobeMs = 5_000

/** Share of the silence after which a peer counts as gone: a node that hears itself no longer stops sending by then. */
const echoShare = 0.9
/**
 * A peer that stopped hearing this node may count it as gone after the last three quarters of that silence: its last heartbeat here may be as
 * old as one of ours there.
 */
const mutualShare = 0.65
/** Own heartbeats remembered until their echo. */
const maxUnechoed = 64
/** Heartbeats without which a peer is reported as missing. */
const missingBeats = 1.6
/** A node that counted another as gone goes on reporting it as missing for this time. */
const missingMs = 15_000

/** Sends heartbeats, listens for peers and decides conservatively which are gone. Does nothing on a bus that is `alone`. */
export class Heartbeat implements PeerNodes, Contact {
  readonly #deps: HeartbeatDeps
  readonly #list = new PeerNodeList()
  readonly #gone = new Set<(peerNode: PeerNode) => void>()
  readonly #changed = new Set<() => void>()
  readonly #stalled = new Set<(ms: number) => void>()
  readonly #contacts = new Set<() => void>()
  /** Owners that were heard and did not leave: they may take over calls of this node, even if it counts them as gone. */
  readonly #met = new Set<string>()
  /** Owners counted as gone, with the time until which they are reported as missing. */
  readonly #missing = new Map<string, number>()
  /** Silent peers that count as gone once the bus has delivered everything sent before this own heartbeat. */
  readonly #condemned = new Map<Known, number>()
  readonly #probing = new Set<Promise<void>>()
  readonly #notListening: (() => void)[] = []
  #describe: (() => Described) | undefined
  #cancelTimer: () => void = () => {}
  #dueAt = Infinity
  #quietUntil = -Infinity
  /** Time of the last own heartbeat echoed by the bus. */
  #echoAt = -Infinity
  #lastBeat = 0
  /** Sending times of own heartbeats not echoed yet, by number. */
  readonly #sent = new Map<number, number>()
  #echoSentAt = -Infinity
  #echoEveryMs = heartbeatMs

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps
  }

  get self(): string {
    return this.#deps.self
  }

  others(): readonly PeerNode[] {
    return this.#list.all
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

  onContact(contact: () => void): () => void {
    return entered(this.#contacts, contact)
  }

  get alone(): boolean {
    return this.#describe === undefined || this.#met.size === 0
  }

  get echoSentAt(): number {
    return this.#echoSentAt
  }

  get heardUntil(): number {
    const lostAfterMs = this.#echoEveryMs * heartbeatsUntilLost
    return Math.min(this.#echoSentAt + lostAfterMs * echoShare, this.#list.mutualAt + lostAfterMs * mutualShare)
  }

  get peersLackStore(): boolean {
    return this.#list.size > 0 && this.#list.all.every(({ storeAway }) => storeAway === true)
  }

  /** Starts sending heartbeats. */
  start(describe: () => Described): void {
    const { bus } = this.#deps
    if (bus.alone) return
    this.#describe = describe
    this.#notListening.push(
      bus.hear('alive', (body) => this.#heard(body as Beat)),
      bus.hear(`alive.${this.self}`, (body) => this.#heard(body as Beat)),
      bus.hear('leave', (body) => this.#left((body as Pick<Beat, 'owner'>).owner)),
      bus.onConnection((connected) => connected && this.#giveGrace()),
    )
    this.#giveGrace()
    this.#beat()
  }

  /** Publishes a change of this node immediately. */
  notify(): void {
    this.#notify('alive')
  }

  async close(): Promise<void> {
    if (!this.#describe) return
    this.#describe = undefined
    this.#cancelTimer()
    for (const leave of this.#notListening.splice(0)) leave()
    this.#deps.bus.notify('leave', { owner: this.self })
    this.#list.clear()
    await Promise.all(this.#probing)
  }

  get #everyMs(): number {
    return Math.max(heartbeatMs, this.#list.size * msForEach)
  }

  #notify(subject: string): void {
    const { bus, self } = this.#deps
    if (!this.#describe) return
    const now = this.#deps.clock.elapsed()
    this.#sent.set(++this.#lastBeat, now)
    for (const number of this.#sent.keys()) if (number < this.#lastBeat - maxUnechoed) this.#sent.delete(number)
    const missing = this.#missingNow(now)
    const beat: Beat = { ...this.#describe(), owner: self, everyMs: this.#everyMs, number: this.#lastBeat }
    bus.notify(subject, missing.length > 0 ? { ...beat, missing } : beat)
  }

  #beat(): void {
    const { clock } = this.#deps
    const now = clock.elapsed()
    const lateMs = now - this.#dueAt
    if (lateMs > stallMs) this.#stood(lateMs)
    this.notify()
    this.#judge(now)
    this.#dueAt = now + this.#everyMs
    this.#cancelTimer = clock.after(this.#everyMs, () => this.#beat())
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
  #missingNow(now: number): string[] {
    if (!this.#mayBlame(now)) return []
    for (const [owner, until] of this.#missing) if (now >= until) this.#missing.delete(owner)
    return [...this.#list.unheard(now, missingBeats), ...this.#missing.keys()]
  }

  #heard({ everyMs: intervalMs, number, missing, ...peerNode }: Beat): void {
    const now = this.#deps.clock.elapsed()
    if (peerNode.owner === this.self) return this.#echoed(number, intervalMs, now)
    this.#met.add(peerNode.owner)
    this.#missing.delete(peerNode.owner)
    const { known, isNew } = this.#list.hear(peerNode, { everyMs: intervalMs, now, hearsUs: !missing?.includes(this.self) })
    this.#notifyContact()
    if (isNew) this.#greetNode(peerNode.owner)
    if (!known.reachable && now >= known.probeAt) this.#getToKnow(known)
  }

  #echoed(number: number | undefined, everyMs: number, now: number): void {
    this.#echoAt = now
    const sentAt = number === undefined ? undefined : this.#sent.get(number)
    if (number === undefined || sentAt === undefined) return
    this.#sent.delete(number)
    this.#echoSentAt = Math.max(this.#echoSentAt, sentAt)
    this.#echoEveryMs = everyMs
    this.#notifyContact()
    for (const [known, since] of this.#condemned) if (number >= since) this.#conclude(known)
  }

  #notifyContact(): void {
    for (const contact of this.#contacts) contact()
  }

  /** Sends one unicast heartbeat to the new node. */
  #greetNode(owner: string): void {
    this.#notify(`alive.${owner}`)
    this.#notifyChange()
  }

  #left(owner: string): void {
    this.#met.delete(owner)
    this.#missing.delete(owner)
    if (this.#list.remove(owner)) this.#notifyChange()
  }

  #judge(now: number): void {
    if (this.#list.giveUp(now)) this.#notifyChange()
    if (!this.#mayJudge(now)) return
    for (const known of this.#list.silent(now)) if (known.reachable && now >= known.probeAt) this.#suspicion(known)
  }

  /** False if the fault may be ours, or if so many peers are silent that the bus is suspect. */
  #mayJudge(now: number): boolean {
    return this.#mayBlame(now) && this.#list.silent(now).length * 2 <= this.#list.size + 1
  }

  /** False if the fault may be ours. */
  #mayBlame(now: number): boolean {
    const mine = now < this.#quietUntil || now - this.#dueAt > stallMs || now - this.#echoAt > this.#everyMs * 2
    return this.#deps.bus.connected && !mine
  }

  /** Probes the address while the peer is alive: silence of an address that never answered proves nothing. */
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
    this.#condemned.set(known, this.#lastBeat + 1)
    this.notify()
  }

  #conclude(known: Known): void {
    const now = this.#deps.clock.elapsed()
    this.#condemned.delete(known)
    if (!this.#list.has(known)) return
    if (now - known.heardAt < known.lostAfterMs || !this.#mayJudge(now)) return
    const { owner } = known.peerNode
    this.#list.remove(owner)
    this.#missing.set(owner, now + missingMs)
    this.#notifyChange()
    for (const gone of this.#gone) gone(known.peerNode)
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

interface Beat extends PeerNode {
  /** Milliseconds until the next heartbeat. */
  everyMs: number
  /** Counts the heartbeats of this node. */
  number?: number
  /** Owners that it does not hear. */
  missing?: readonly string[]
}

const entered = <T>(all: Set<T>, one: T): (() => void) => {
  all.add(one)
  return () => void all.delete(one)
}
