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

export interface MemoryWatchDeps {
  clock: Clock
  isolates: () => Isolate[]
  /** Its calls are in danger, or not any more. */
  changed: (isolate: WatchedIsolate) => void
}

const pollIntervalMs = 5_000
/** A heap is full of garbage until it is collected: only what is there for a whole minute is really needed. */
const looks = 12
const alarmShare = 0.8

/** Looks how full the heaps are, and says so before one is full: then its thread dies, and with the main thread all calls. */
export class MemoryWatch {
  readonly #deps: MemoryWatchDeps
  /** Of the last minute, in bytes, by thread. */
  readonly #used = new Map<number, number[]>()
  readonly #near = new Set<number>()
  #cancel: () => void

  constructor(deps: MemoryWatchDeps) {
    this.#deps = deps
    this.#cancel = deps.clock.after(pollIntervalMs, () => this.#poll())
  }

  get isolates(): WatchedIsolate[] {
    return this.#deps.isolates().map((isolate) => ({ ...isolate, nearLimit: this.#near.has(isolate.id) }))
  }

  async close(): Promise<void> {
    this.#cancel()
  }

  #poll(): void {
    const isolates = this.#deps.isolates()
    this.#forgetAllBut(new Set(isolates.map(({ id }) => id)))
    for (const isolate of isolates) this.#note(isolate)
    this.#cancel = this.#deps.clock.after(pollIntervalMs, () => this.#poll())
  }

  #note(isolate: Isolate): void {
    const { id, heapUsed, heapLimit } = isolate
    const used = [...(this.#used.get(id) ?? []), heapUsed].slice(-looks)
    this.#used.set(id, used)
    const nearLimit = used.length === looks && Math.min(...used) >= alarmShare * heapLimit
    if (nearLimit === this.#near.has(id)) return
    if (nearLimit) this.#near.add(id)
    else this.#near.delete(id)
    this.#deps.changed({ ...isolate, nearLimit })
  }

  #forgetAllBut(running: ReadonlySet<number>): void {
    for (const id of this.#used.keys()) {
      if (running.has(id)) continue
      this.#used.delete(id)
      this.#near.delete(id)
    }
  }
}
