import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { PeerNode, PeerNodes } from '../ports/neighbours.ts'
import { PeerNodeList, type Known } from './peer-node-list.ts'

export interface HeartbeatDeps {
  bus: Bus
  /** Never set. */
  clock: Clock
  self: string
  /** Whether anything answers there within that time. */
  probe: (http: string, ms: number) => Promise<boolean>
  /** It is heard, but cannot be asked for its health: should it fall silent, only its lease tells that it is gone. */
  onUnreachable: (peerNode: PeerNode) => void
}

type Described = Omit<PeerNode, 'owner'>

const heartbeatMs = 250
/** With many, each is heard less often, so that none hears more than 200 beats a second. */
const msForEach = 5
/** A timer that comes so late says that this process stood still. */
const stallMs = 400
/** After that, and when the bus comes back, others need a moment to be heard. */
const graceMs = 1_000
const probeMs = 300
const reprobeMs = 5_000

/** Says that this process is there, listens for others, and judges carefully who is gone. Does nothing on a bus that is `alone`. */
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
  /** When the bus last brought back what we said. */
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

  /** From now on others hear of this process. */
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

  /** Something about this process changed that others want to know at once. */
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

  /** Who stood still has heard nobody, and judges nobody. */
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

  /** It is told at once that we are there, and nobody else is. */
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

  /** Not when the fault may be ours, and not when so many are silent that it is that of the bus. */
  #mayJudge(now: number): boolean {
    const mine = now < this.#quietUntil || now - this.#dueAt > stallMs || now - this.#echoAt > this.#everyMs * 2
    return this.#deps.bus.connected && !mine && this.#list.silent(now).length * 2 <= this.#list.size + 1
  }

  /** What it says of its address is tried while it lives: an address that never answered proves nothing. */
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
  /** How long until the next one. */
  everyMs: number
}

const entered = <T>(all: Set<T>, one: T): (() => void) => {
  all.add(one)
  return () => void all.delete(one)
}
