import type { Clock } from '#core/kernel/ports/clock.ts'

/** What one thread of JavaScript holds, in bytes, and its time. */
export interface Isolate {
  thread: string
  /** Tells threads of the same name apart. */
  id: number
  heapUsed: number
  heapTotal: number
  heapLimit: number
  external: number
  arrayBuffers: number
  /** Processor time that the thread has used, in seconds. */
  cpuSeconds: number
}

export interface WatchedIsolate extends Isolate {
  nearLimit: boolean
}

export interface MemoryWatchParts {
  clock: Clock
  isolates: () => Isolate[]
  /** Its calls are in danger, or not any more. */
  changed: (isolate: WatchedIsolate) => void
}

const lookEveryMs = 5_000
/** A heap is full of garbage until it is collected: only what is there for a whole minute is really needed. */
const looks = 12
const alarmShare = 0.8

/** Looks how full the heaps are, and says so before one is full: then its thread dies, and with the main thread all calls. */
export class MemoryWatch {
  readonly #parts: MemoryWatchParts
  /** Of the last minute, in bytes, by thread. */
  readonly #used = new Map<number, number[]>()
  readonly #near = new Set<number>()
  #cancel: () => void

  constructor(parts: MemoryWatchParts) {
    this.#parts = parts
    this.#cancel = parts.clock.after(lookEveryMs, () => this.#look())
  }

  get isolates(): WatchedIsolate[] {
    return this.#parts.isolates().map((isolate) => ({ ...isolate, nearLimit: this.#near.has(isolate.id) }))
  }

  async close(): Promise<void> {
    this.#cancel()
  }

  #look(): void {
    const isolates = this.#parts.isolates()
    this.#forgetAllBut(new Set(isolates.map(({ id }) => id)))
    for (const isolate of isolates) this.#note(isolate)
    this.#cancel = this.#parts.clock.after(lookEveryMs, () => this.#look())
  }

  #note(isolate: Isolate): void {
    const { id, heapUsed, heapLimit } = isolate
    const used = [...(this.#used.get(id) ?? []), heapUsed].slice(-looks)
    this.#used.set(id, used)
    const nearLimit = used.length === looks && Math.min(...used) >= alarmShare * heapLimit
    if (nearLimit === this.#near.has(id)) return
    if (nearLimit) this.#near.add(id)
    else this.#near.delete(id)
    this.#parts.changed({ ...isolate, nearLimit })
  }

  #forgetAllBut(running: ReadonlySet<number>): void {
    for (const id of this.#used.keys()) {
      if (running.has(id)) continue
      this.#used.delete(id)
      this.#near.delete(id)
    }
  }
}
