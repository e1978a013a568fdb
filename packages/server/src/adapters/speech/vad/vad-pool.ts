import { availableParallelism } from 'node:os'
import type { VadStream, Vad, VadObserver } from '#core/kernel/ports/speech.ts'
import type { LegSound } from '#core/kernel/ports/audio.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { MemoryPool } from '#media/thread/shared-memory.ts'
import { extname } from 'node:path'
import { startModelThread, type ModelThread } from '../model-thread.ts'

export interface VadPoolOptions {
  /** `energy`: everything loud is speech, for tests. */
  detector: 'silero' | 'energy'
  /** Model file, for 'silero'. */
  model?: string
  /** A thread ended by itself: its streams get `lost`, the next one gets a new thread. */
  onDied: (error: Error | undefined) => void
  /** Memory for tracks; default: a separate pool. */
  memory?: MemoryPool
  /** Calls per thread before another one is started. */
  callsPerThread?: number
}

export interface VadPool extends Vad {
  /** Loads the model now rather than with the first call. */
  prepare(): void
  /** Ends every stream and every thread. */
  close(): Promise<void>
}

/** Half of a core's capacity. */
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

  /** The first thread with room; when all are full and no more are useful, the least loaded. */
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

interface Listening {
  sound: LegSound
  track: SoundTrack
  observer: VadObserver
}

/** Main-thread side of one VAD thread. */
class VadThread {
  readonly #worker: ModelThread['worker']
  readonly #memory: MemoryPool
  readonly #listening = new Map<number, Listening>()
  /** Closed here; the thread has not yet confirmed their release. */
  readonly #closing = new Map<number, Listening>()
  readonly #exited: Promise<void>
  #ending = false

  /** `memory`: gets the tracks back at their end. `died`: the thread ended by itself. */
  constructor(settings: VadThreadSettings, memory: MemoryPool, died: (error: Error | undefined) => void) {
    this.#memory = memory
    const { worker, ended } = startModelThread(new URL(`./vad-worker${extname(import.meta.filename)}`, import.meta.url), 'ears', settings)
    this.#worker = worker
    worker.on('message', (events: VadEvent[]) => events.forEach((event) => this.#notified(event)))
    this.#exited = ended.then((error) => {
      died(error)
      this.#gone()
    })
  }

  /** Number of streams. */
  get load(): number {
    return this.#listening.size
  }

  listen(vad: number, sound: LegSound, track: SoundTrack, observer: VadObserver): VadStream {
    this.#listening.set(vad, { sound, track, observer })
    this.#post({ do: 'listen', ear: vad, sound: sound.buffer, track: track.buffer, beeps: observer.beep !== undefined })
    let closed = false
    const close = (): void => {
      if (closed) return
      closed = true
      if (!this.#close(vad)) this.#release(track)
    }
    return { track, close }
  }

  async close(): Promise<void> {
    this.#ending = true
    for (const vad of this.#listening.keys()) this.#close(vad)
    this.#post({ do: 'end' })
    await this.#exited
  }

  #notified(event: VadEvent): void {
    if (event.tell === 'closed') return this.#closed(event.ear)
    const listening = this.#listening.get(event.ear)
    if (!listening) return
    if (event.tell === 'over') this.#ended(event.ear, listening)
    else listening.observer[event.tell]?.(event.at)
  }

  /** The track ends here and not in the thread, so that all events precede its end. Its content stays readable. */
  #ended(vad: number, { sound, track }: Listening): void {
    this.#listening.delete(vad)
    sound.close()
    track.end()
  }

  /** False if it had already ended. The thread uses both until it has processed the command, so their memory is not free yet. */
  #close(vad: number): boolean {
    const listening = this.#listening.get(vad)
    if (!listening) return false
    this.#listening.delete(vad)
    this.#closing.set(vad, listening)
    listening.track.end()
    this.#post({ do: 'close', ear: vad })
    return true
  }

  #closed(vad: number): void {
    const listening = this.#closing.get(vad)
    if (!listening) return
    this.#closing.delete(vad)
    listening.sound.close()
    this.#release(listening.track)
  }

  #release(track: SoundTrack): void {
    track.leave()
    this.#memory.give(track.buffer)
  }

  #gone(): void {
    for (const vad of this.#closing.keys()) this.#closed(vad)
    for (const [vad, listening] of this.#listening) {
      this.#ended(vad, listening)
      if (!this.#ending) listening.observer.lost()
    }
  }

  #post(command: VadCommand): void {
    this.#worker.postMessage(command, [])
  }
}

/** Start data of a VAD thread. */
export interface VadThreadSettings {
  detector: 'silero' | 'energy'
  /** Model file, for 'silero'. */
  model: string | undefined
}

/** From the main thread. */
export type VadCommand =
  /** `sound`: a ring of the media thread, `track`: a SoundTrack. */
  | { do: 'listen'; ear: number; sound: SharedArrayBuffer; track: SharedArrayBuffer; beeps: boolean }
  | { do: 'close'; ear: number }
  | { do: 'end' }

/** To the main thread. */
export type VadEvent =
  | { tell: 'noticed' | 'started' | 'stopped' | 'beep'; ear: number; at: number }
  /** The leg has ended and all of it was processed. */
  | { tell: 'over'; ear: number }
  /** Confirms `close`: the thread no longer reads or writes its memory. */
  | { tell: 'closed'; ear: number }
