import type { Bus, Clock, PeerNode, PeerNodes } from '../ports/platform.ts'

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
export const stallMs = 400
/** Time for peers to be heard after a stall or a bus reconnect. */
const graceMs = 1_000
const probeMs = 300
const reprobeMs = 5_000

/** Sends heartbeats, listens for peers and decides conservatively which are gone. Does nothing on a bus that is `alone`. */
export class Heartbeat implements PeerNodes {
  readonly #deps: HeartbeatDeps
  readonly #list = new PeerNodeList()
  readonly #gone = new Set<(peerNode: PeerNode) => void>()
  readonly #changed = new Set<() => void>()
  readonly #stalled = new Set<(ms: number) => void>()
  readonly #probing = new Set<Promise<void>>()
  readonly #notListening: (() => void)[] = []
  #describe: (() => Described) | undefined
  #cancelTimer: () => void = () => {}
  #dueAt = Infinity
  #quietUntil = -Infinity
  /** Time of the last own heartbeat echoed by the bus. */
  #echoAt = -Infinity

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
    if (this.#describe) bus.notify(subject, { ...this.#describe(), owner: self, everyMs: this.#everyMs } satisfies Beat)
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

  #heard({ everyMs: intervalMs, ...peerNode }: Beat): void {
    const now = this.#deps.clock.elapsed()
    if (peerNode.owner === this.self) {
      this.#echoAt = now
      return
    }
    const { known, isNew } = this.#list.hear(peerNode, { everyMs: intervalMs, now })
    if (isNew) this.#greetNode(peerNode.owner)
    if (!known.reachable && now >= known.probeAt) this.#getToKnow(known)
  }

  /** Sends one unicast heartbeat to the new node. */
  #greetNode(owner: string): void {
    this.#notify(`alive.${owner}`)
    this.#notifyChange()
  }

  #left(owner: string): void {
    if (this.#list.remove(owner)) this.#notifyChange()
  }

  #judge(now: number): void {
    if (this.#list.giveUp(now)) this.#notifyChange()
    if (!this.#mayJudge(now)) return
    for (const known of this.#list.silent(now)) if (known.reachable && now >= known.probeAt) this.#suspicion(known)
  }

  /** False if the fault may be ours, or if so many peers are silent that the bus is suspect. */
  #mayJudge(now: number): boolean {
    const mine = now < this.#quietUntil || now - this.#dueAt > stallMs || now - this.#echoAt > this.#everyMs * 2
    return this.#deps.bus.connected && !mine && this.#list.silent(now).length * 2 <= this.#list.size + 1
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
      if (!answers) known.cancel = clock.after(Math.max(0, known.heardAt + known.lostAfterMs - now), () => this.#conclude(known))
    })
  }

  #conclude(known: Known): void {
    const now = this.#deps.clock.elapsed()
    if (now - known.heardAt < known.lostAfterMs || !this.#mayJudge(now)) return
    this.#list.remove(known.peerNode.owner)
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
}

const entered = <T>(all: Set<T>, one: T): (() => void) => {
  all.add(one)
  return () => void all.delete(one)
}

/** Peer node and its liveness state. */
interface Known {
  peerNode: PeerNode
  heardAt: number
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

const heartbeatsUntilLost = 4
/** Share of `lostAfterMs` after which the peer is probed, so that the answer arrives before it counts as lost. */
const doubtShare = 0.7
/** After this time its lease has expired as well. */
const abandonMs = 15_000

const outsideNumber = { heardAt: 0, lostAfterMs: 0, reachable: false, answers: false, reported: false, probeAt: 0, cancel: () => {} }

/** Peer nodes by owner, with the time each was last heard. */
class PeerNodeList {
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

  /** Resets all silence timers. */
  hearAll(now: number): void {
    for (const known of this.#known.values()) known.heardAt = now
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
