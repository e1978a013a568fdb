import { performance } from 'node:perf_hooks' // the global one is looked up anew each time
import { Lateness } from './lateness.ts'

/** Has its turn every 20 ms. */
export interface Paced {
  /** Gives how many packets went out. */
  tick(nowMs: number): number
}

export interface PacedLoopDeps {
  /** Hands out what has arrived. */
  receive: (nowMs: number) => void
  /** Told of a turn that threw; the others go on. */
  failed: (paced: Paced, error: unknown) => void
  /** The whole process stood still for so long that it has to be asked whether to go on: nobody has a turn before `goOn`. */
  stalled?: () => void
  /** Four bytes; see `knock`. */
  door: SharedArrayBuffer
  /** Four bytes, in which late turns are counted. */
  late?: SharedArrayBuffer
  /** Packets come by the event loop, so it must have its turn in every slot. */
  receivesByEvents: boolean
  /** Something is under way that goes on only when the event loop has its turn: a file, a promise. */
  awaitsEvents?: () => boolean
  time?: LoopTime
}

/** The time that passes for a loop: the machine's, unless a test has one of its own. */
export interface LoopTime {
  now: () => number
  /** Until then, or until a knock after `seen`. */
  sleep: (door: Int32Array, seen: number, ms: number) => void
}

const realTime: LoopTime = { now: () => performance.now(), sleep: (door, seen, ms) => void Atomics.wait(door, 0, seen, ms) }

/** Wakes a thread that sleeps between two slots, so that it looks for messages. */
export const wake = (door: SharedArrayBuffer): void => {
  const cell = new Int32Array(door)
  Atomics.add(cell, 0, 1)
  Atomics.notify(cell, 0)
}

/** Waking up costs as much as ten packets. What arrives waits two milliseconds on average, and no jitter buffer notices. */
const slots = 5
const slotMs = 4
/** The event loop takes as long as many packets, so it does not have its turn after every slot, unless there is a knock: every 20 ms for who waits for it, */
const slotsPerYield = 5
/** every tenth of a second otherwise, for timers. */
const slotsPerIdleYield = 25
/** Half a packet: a jitter buffer notices. */
const lateMs = 10
/** From this lateness on (the machine was suspended, or is far too busy) missed frames are of no use. */
const tooLateMs = 200
/** No thread that only has much to do is so late. */
const stallMs = 500
/** It goes on by itself when nobody says so. */
const maxWaitMs = 5_000

/**
 * The heart of a media thread: five slots of four milliseconds, and everything that sends has one of them, so that packets leave evenly.
 * The thread sleeps in the kernel between slots, not in a timer: timers are a millisecond coarse. The event loop has its turn now and
 * then, and as soon as a message comes.
 */
export class PacedLoop {
  readonly lateness = new Lateness()
  readonly #wheel: Paced[][] = Array.from({ length: slots }, () => [])
  readonly #slotOf = new Map<Paced, number>()
  readonly #receive: (nowMs: number) => void
  readonly #stalled: (() => void) | undefined
  readonly #failed: (paced: Paced, error: unknown) => void
  /** The sender of a message changes it and so wakes the thread. */
  readonly #door: Int32Array
  readonly #late: Uint32Array
  readonly #receivesByEvents: boolean
  readonly #awaitsEvents: () => boolean
  readonly #time: LoopTime
  /** At the door, before the event loop had its last turn. */
  #wakes = 0
  #running = false
  #frame = 0
  #slot = 0
  #dueMs = 0
  /** Until then nobody has a turn. */
  #waitsUntilMs = -Infinity

  constructor(deps: PacedLoopDeps) {
    const {
      receive,
      failed,
      stalled,
      door,
      late = new SharedArrayBuffer(4),
      receivesByEvents,
      awaitsEvents = () => false,
      time = realTime,
    } = deps
    this.#stalled = stalled
    this.#receive = receive
    this.#failed = failed
    this.#door = new Int32Array(door)
    this.#late = new Uint32Array(late)
    this.#receivesByEvents = receivesByEvents
    this.#awaitsEvents = awaitsEvents
    this.#time = time
  }

  /** Number of the present 20 ms; counts on through pauses. */
  get frame(): number {
    return this.#frame
  }

  /** In the slot of `beside`, if that has one, otherwise in the emptiest. */
  add(paced: Paced, beside?: Paced): void {
    if (this.#slotOf.has(paced)) return
    const slot = (beside && this.#slotOf.get(beside)) ?? this.#emptiest()
    this.#wheel[slot]?.push(paced)
    this.#slotOf.set(paced, slot)
    if (!this.#running) this.#start()
  }

  remove(paced: Paced): void {
    const slot = this.#slotOf.get(paced)
    if (slot === undefined) return
    this.#slotOf.delete(paced)
    this.#wheel[slot] = (this.#wheel[slot] ?? []).filter((one) => one !== paced)
  }

  resume(): void {
    this.#waitsUntilMs = -Infinity
  }

  #emptiest(): number {
    let best = 0
    for (let slot = 1; slot < slots; slot++) if (this.#size(slot) < this.#size(best)) best = slot
    return best
  }

  #size(slot: number): number {
    return this.#wheel[slot]?.length ?? 0
  }

  #start(): void {
    this.#running = true
    this.#wakes = Atomics.load(this.#door, 0)
    this.#dueMs = this.#time.now()
    setImmediate(this.#turn)
  }

  /** Sends first, then receives: what has to be on time comes before what may wait a millisecond. */
  readonly #turn = (): void => {
    if (this.#slotOf.size === 0) {
      this.#running = false
      return
    }
    for (let i = 0; i < this.#slotsPerTurn; i++) {
      this.#receive(this.#sendDue())
      const restMs = this.#dueMs - this.#time.now()
      if (restMs > 0) this.#time.sleep(this.#door, this.#wakes, restMs)
      if (Atomics.load(this.#door, 0) !== this.#wakes) break
    }
    // Before the event loop looks for messages: one that comes while it works on others must not wait for its next turn.
    this.#wakes = Atomics.load(this.#door, 0)
    setImmediate(this.#turn)
  }

  /** Of the thread, until the event loop has its own. */
  get #slotsPerTurn(): number {
    if (this.#receivesByEvents) return 1
    return this.#awaitsEvents() ? slotsPerYield : slotsPerIdleYield
  }

  /** Gives what time it is afterwards. */
  #sendDue(): number {
    let nowMs = this.#time.now()
    if (nowMs - this.#dueMs > tooLateMs) this.#catchUp(nowMs)
    while (this.#dueMs <= nowMs) {
      if (nowMs - this.#dueMs > stallMs) this.#catchUp(nowMs) // in the middle of a turn
      const sent = nowMs < this.#waitsUntilMs ? 0 : this.#tick(this.#wheel[this.#slot] ?? [], nowMs)
      nowMs = this.#time.now()
      if (sent > 0) this.#note(nowMs - this.#dueMs, sent)
      this.#slot++
      this.#dueMs += slotMs
      if (this.#slot < slots) continue
      this.#slot = 0
      this.#frame++
    }
    return nowMs
  }

  #note(ms: number, sent: number): void {
    this.lateness.add(ms, sent)
    if (ms >= lateMs) this.#late[0] = (this.#late[0] ?? 0) + 1
  }

  #catchUp(nowMs: number): void {
    const behindMs = nowMs - this.#dueMs
    this.#skipTo(nowMs)
    if (behindMs < stallMs || !this.#stalled) return
    this.#waitsUntilMs = nowMs + maxWaitMs
    this.#stalled()
  }

  #tick(due: Paced[], nowMs: number): number {
    let sent = 0
    for (const paced of due) {
      try {
        sent += paced.tick(nowMs)
      } catch (error) {
        this.#failed(paced, error)
      }
    }
    return sent
  }

  #skipTo(nowMs: number): void {
    const rounds = Math.floor((nowMs - this.#dueMs) / (slots * slotMs))
    this.#frame += rounds
    this.#dueMs += rounds * slots * slotMs
  }
}
