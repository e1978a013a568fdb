import { performance } from 'node:perf_hooks'

// the global one is looked up on each use

/** Has a turn every 20 ms. */
export interface Paced {
  /** Returns the number of packets sent. */
  tick(nowMs: number): number
}

interface PacedLoopDeps {
  /** Delivers received packets. */
  receive: (nowMs: number) => void
  /** Called when a turn throws; the others continue. */
  failed: (paced: Paced, error: unknown) => void
  /** Futex word for `wake()`. */
  door: SharedArrayBuffer
  /** Eight bytes, in which late turns and all turns with packets are counted. */
  late?: SharedArrayBuffer
  /** Packets arrive by the event loop, so it must run in every slot. */
  receivesByEvents: boolean
  /** Work is pending that needs the event loop: a file, a promise. */
  awaitsEvents?: () => boolean
  time?: LoopTime
}

/** Time of a loop: the machine's, unless a test supplies another. */
export interface LoopTime {
  now: () => number
  /** Sleeps until then, or until a wake-up after `seen`. */
  sleep: (door: Int32Array, seen: number, ms: number) => void
}

const realTime: LoopTime = { now: () => performance.now(), sleep: (door, seen, ms) => void Atomics.wait(door, 0, seen, ms) }

/** Wakes a thread that sleeps between two slots, so that it polls for messages. */
export const wake = (door: SharedArrayBuffer): void => {
  const cell = new Int32Array(door)
  Atomics.add(cell, 0, 1)
  Atomics.notify(cell, 0)
}

/** Waking up costs as much as ten packets. Arriving packets wait two milliseconds on average, which no jitter buffer notices. */
const slots = 5
const slotMs = 4
/**
 * Slots between two event-loop turns while work is pending: 20 ms. The event loop costs as much as many packets, so it does not run after
 * every slot, except after a wake-up.
 */
const slotsPerYield = 5
/** The same while idle, for timers: a tenth of a second. */
const slotsPerIdleYield = 25
/** Half a packet: a jitter buffer notices. */
const lateMs = 10
/** Beyond this lateness (the machine was suspended, or is far too busy) missed frames are useless. */
const tooLateMs = 200
/** A thread that is merely busy is never this late. */
const stallMs = 500

/**
 * Core of a media thread: five slots of four milliseconds; every sender has one of them, so that packets leave evenly. The thread sleeps in
 * the kernel between slots, not in a timer: timers have a resolution of a millisecond. The event loop runs now and then, and as soon as a
 * message comes.
 */
export class PacedLoop {
  readonly lateness = new Lateness()
  readonly #wheel: Paced[][] = Array.from({ length: slots }, () => [])
  readonly #slotOf = new Map<Paced, number>()
  readonly #receive: (nowMs: number) => void
  readonly #failed: (paced: Paced, error: unknown) => void
  /** Futex word: the sender of a message changes it and so wakes the thread. */
  readonly #door: Int32Array
  readonly #late: Uint32Array
  readonly #receivesByEvents: boolean
  readonly #awaitsEvents: () => boolean
  readonly #time: LoopTime
  /** Value of the futex word before the last turn of the event loop. */
  #wakes = 0
  #running = false
  #frame = 0
  #slot = 0
  #dueMs = 0

  constructor(deps: PacedLoopDeps) {
    const { receive, failed, door, late = new SharedArrayBuffer(8), receivesByEvents, awaitsEvents = () => false, time = realTime } = deps
    this.#receive = receive
    this.#failed = failed
    this.#door = new Int32Array(door)
    this.#late = new Uint32Array(late)
    this.#receivesByEvents = receivesByEvents
    this.#awaitsEvents = awaitsEvents
    this.#time = time
  }

  /** Number of the current 20 ms; continues through pauses. */
  get frame(): number {
    return this.#frame
  }

  /** Adds to the slot of `beside`, if that has one, otherwise to the emptiest. */
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

  /** Sends first, then receives: timed work comes before work that may wait a millisecond. */
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
    // Before the event loop polls for messages: one that arrives while it handles others must not wait for its next turn.
    this.#wakes = Atomics.load(this.#door, 0)
    setImmediate(this.#turn)
  }

  /** Slots of the thread between two turns of the event loop. */
  get #slotsPerTurn(): number {
    if (this.#receivesByEvents) return 1
    return this.#awaitsEvents() ? slotsPerYield : slotsPerIdleYield
  }

  /** Returns the time afterwards. */
  #sendDue(): number {
    let nowMs = this.#time.now()
    if (nowMs - this.#dueMs > tooLateMs) this.#skipTo(nowMs)
    while (this.#dueMs <= nowMs) {
      if (nowMs - this.#dueMs > stallMs) this.#skipTo(nowMs) // in the middle of a turn
      const sent = this.#tick(this.#wheel[this.#slot] ?? [], nowMs)
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
    this.#late[1] = (this.#late[1] ?? 0) + 1
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

/** A tenth of a second, including the frame in which it began. */
const restFrames = 4

/** Skips some frames of an idle stream or room, unless something changes. */
export class Rest {
  readonly #changes: { readonly count: number }
  #left = 0
  #asOf = -1

  constructor(changes: { readonly count: number }) {
    this.#changes = changes
  }

  get rests(): boolean {
    return this.#left > 0 && this.#asOf === this.#changes.count
  }

  begin(): 0 {
    this.#left = restFrames
    this.#asOf = this.#changes.count
    return 0
  }

  end(): void {
    this.#left = 0
  }

  /** Called in every frame. */
  goesOn(): boolean {
    if (!this.rests) return false
    this.#left--
    return true
  }
}

const stepMs = 0.1
const steps = 2000

/** Lateness of sent frames: counts per tenth of a millisecond, everything beyond 200 ms together. */
class Lateness {
  readonly #counts = new Uint32Array(steps)

  add(ms: number, frames: number): void {
    const step = Math.min(steps - 1, Math.max(0, Math.floor(ms / stepMs)))
    this.#counts[step] = (this.#counts[step] ?? 0) + frames
  }

  /** Returns the counts and resets them. */
  takeCounts(): Uint32Array {
    const counts = this.#counts.slice()
    this.#counts.fill(0)
    return counts
  }
}

/** Combines several workers. */
export const summariseLateness = (all: Uint32Array[]): { p50: number; p99: number; frames: number } => {
  const counts = Array.from({ length: steps }, (_, step) => all.reduce((sum, one) => sum + (one[step] ?? 0), 0))
  const frames = counts.reduce((sum, count) => sum + count, 0)
  return { p50: percentile(counts, frames * 0.5), p99: percentile(counts, frames * 0.99), frames }
}

const percentile = (counts: number[], rank: number): number => {
  let passed = 0
  for (const [step, count] of counts.entries()) {
    passed += count
    if (count > 0 && passed >= rank) return Math.round((step + 1) * stepMs * 10) / 10
  }
  return 0
}
