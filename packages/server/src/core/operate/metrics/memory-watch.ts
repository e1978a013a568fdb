import type { Clock } from '#core/kernel/ports/platform.ts'

/** Memory in bytes and processor time of one JavaScript thread. */
export interface Isolate {
  thread: string
  /** Distinguishes threads of the same name. */
  id: number
  heapUsed: number
  heapTotal: number
  heapLimit: number
  external: number
  arrayBuffers: number
  /** Processor time in seconds. */
  cpuSeconds: number
}

export interface WatchedIsolate extends Isolate {
  nearLimit: boolean
}

interface MemoryWatchDeps {
  clock: Clock
  isolates: () => Isolate[]
  /** Called when its calls are in danger, or no longer are. */
  changed: (isolate: WatchedIsolate) => void
}

const pollIntervalMs = 5_000
/** Polls of one minute: a heap contains garbage until it is collected, so only memory used for a whole minute counts. */
const looks = 12
const alarmShare = 0.8

/** Watches the heaps and reports before one is full: its thread would die, and with the main thread all calls. */
export class MemoryWatch {
  readonly #deps: MemoryWatchDeps
  /** Bytes used during the last minute, by thread. */
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
