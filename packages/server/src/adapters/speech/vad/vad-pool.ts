import { availableParallelism } from 'node:os'
import type { VadStream, Vad, VadObserver } from '#core/kernel/ports/speech.ts'
import type { LegSound } from '#core/kernel/ports/telephony.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { MemoryPool } from '#media/thread/memory-pool.ts'
import { VadThread } from './vad-thread.ts'

export interface VadPoolOptions {
  /** `energy`: everything loud is speech, for tests. */
  detector: 'silero' | 'energy'
  /** The file of the model, for 'silero'. */
  model?: string
  /** A thread ended by itself: its streams were told `lost`, the next one gets a new thread. */
  onDied: (error: Error | undefined) => void
  /** Of which tracks are made; one of its own when missing. */
  memory?: MemoryPool
  /** How many calls share a thread before another one is started. */
  callsPerThread?: number
}

export interface VadPool extends Vad {
  /** Loads the model now rather than with the first call. */
  prepare(): void
  /** Ends every ear and every thread. */
  close(): Promise<void>
}

/** Half of what a core can do. */
const defaultCalls = 150
const trackSeconds = 30

export const openVadPool = (options: VadPoolOptions): VadPool => new ThreadedVadPool(options)

class ThreadedVadPool implements VadPool {
  readonly #options: VadPoolOptions
  readonly #memory: MemoryPool
  readonly #threads = new Set<VadThread>()
  #lastId = 0
  #closed = false

  constructor(options: VadPoolOptions) {
    this.#options = options
    this.#memory = options.memory ?? new MemoryPool()
  }

  prepare(): void {
    if (!this.#closed && this.#threads.size === 0) this.#startThread()
  }

  listen(sound: LegSound, observer: VadObserver): VadStream {
    const track = SoundTrack.of(trackSeconds, (bytes) => this.#memory.take(bytes))
    if (this.#closed) {
      track.end()
      queueMicrotask(() => observer.lost())
      return { track, close: () => sound.close() }
    }
    return this.#threadForNext().listen(++this.#lastId, sound, track, observer)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#threads].map((thread) => thread.close()))
  }

  /** The first that has room; when all are full and no more are useful, the one with the fewest. */
  #threadForNext(): VadThread {
    const byLoad = [...this.#threads].toSorted((a, b) => a.load - b.load)
    const withRoom = [...this.#threads].find((thread) => thread.load < (this.#options.callsPerThread ?? defaultCalls))
    const another = this.#threads.size < availableParallelism() ? undefined : byLoad[0]
    return withRoom ?? another ?? this.#startThread()
  }

  #startThread(): VadThread {
    const { detector, model } = this.#options
    const thread: VadThread = new VadThread({ detector, model }, this.#memory, (error) => {
      this.#threads.delete(thread)
      if (!this.#closed) this.#options.onDied(error)
    })
    this.#threads.add(thread)
    return thread
  }
}
