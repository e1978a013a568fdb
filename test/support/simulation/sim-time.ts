import { setImmediate } from 'node:timers/promises'
import type { Clock } from '#core/kernel/ports/platform.ts'

interface Event {
  task: (() => void) | undefined
}

/** Time of all simulated processes, in whole milliseconds. Events of one millisecond run in the order in which they were scheduled. */
export class SimTime {
  #now = 0
  readonly #due = new Map<number, Event[]>()
  /** Times with events, as a binary heap. */
  readonly #heap: number[] = []

  get now(): number {
    return this.#now
  }

  /** Returns the function that cancels the task. */
  after(ms: number, task: () => void): () => void {
    const at = this.#now + Math.max(0, Math.round(ms))
    const event: Event = { task }
    const together = this.#due.get(at)
    if (together) together.push(event)
    else {
      this.#due.set(at, [event])
      this.#push(at)
    }
    return () => (event.task = undefined)
  }

  /** Runs all events until this time; promises settle between two milliseconds. */
  async runUntil(end: number): Promise<void> {
    for (let next = this.#heap[0]; next !== undefined && next <= end; next = this.#heap[0]) {
      this.#now = next
      this.#pop()
      const events = this.#due.get(next) ?? []
      this.#due.delete(next)
      for (const event of events) event.task?.()
      await setImmediate()
    }
    this.#now = end
  }

  run(ms: number): Promise<void> {
    return this.runUntil(this.#now + ms)
  }

  #push(at: number): void {
    const heap = this.#heap
    let index = heap.push(at) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if ((heap[parent] ?? 0) <= at) break
      heap[index] = heap[parent] ?? 0
      index = parent
    }
    heap[index] = at
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop() ?? 0
    if (heap.length === 0) return
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child++
      if ((heap[child] ?? 0) >= last) break
      heap[index] = heap[child] ?? 0
      index = child
    }
    heap[index] = last
  }
}

/** A process as its machine sees it: it runs, stands still or is dead. */
export class SimHost {
  readonly region: string
  readonly #time: SimTime
  #state: 'running' | 'stalled' | 'dead' = 'running'
  #waiting: (() => void)[] = []

  constructor(time: SimTime, region: string) {
    this.#time = time
    this.region = region
  }

  get runs(): boolean {
    return this.#state === 'running'
  }

  get dead(): boolean {
    return this.#state === 'dead'
  }

  /** Runs the task now, after the stall, or never. */
  run(task: () => void): void {
    if (this.#state === 'running') task()
    else if (this.#state === 'stalled') this.#waiting.push(task)
  }

  kill(): void {
    this.#state = 'dead'
    this.#waiting = []
  }

  stall(): void {
    if (this.runs) this.#state = 'stalled'
  }

  /** Timers that became due run first, as in an event loop. */
  resume(): void {
    if (this.#state !== 'stalled') return
    this.#state = 'running'
    for (const task of this.#waiting.splice(0)) task()
  }

  /** `epoch`: wall-clock time at the start of the simulation. */
  clock(epoch: number): Clock {
    return {
      now: () => epoch + this.#time.now,
      elapsed: () => this.#time.now,
      after: (ms, task) => this.#time.after(ms, () => this.run(task)),
    }
  }
}
