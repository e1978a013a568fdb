import { extname } from 'node:path'
import type { VadStream, VadObserver } from '#core/kernel/ports/speech.ts'
import type { LegSound } from '#core/kernel/ports/telephony.ts'
import type { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { MemoryPool } from '#media/thread/memory-pool.ts'
import { startModelThread, type ModelThread } from '../model-thread.ts'
import type { VadCommand, VadEvent, VadThreadSettings } from './vad-protocol.ts'

interface Listening {
  sound: LegSound
  track: SoundTrack
  observer: VadObserver
}

/** One thread of ears, seen from the main thread. */
export class VadThread {
  readonly #worker: ModelThread['worker']
  readonly #memory: MemoryPool
  readonly #listening = new Map<number, Listening>()
  /** Closed here; the thread has not confirmed yet that it has released them. */
  readonly #closing = new Map<number, Listening>()
  readonly #exited: Promise<void>
  #ending = false

  /** `memory`: where tracks go when they are over. `died`: it ended by itself. */
  constructor(settings: VadThreadSettings, memory: MemoryPool, died: (error: Error | undefined) => void) {
    this.#memory = memory
    const { worker, ended } = startModelThread(new URL(`./ear-worker${extname(import.meta.filename)}`, import.meta.url), 'ears', settings)
    this.#worker = worker
    worker.on('message', (events: VadEvent[]) => events.forEach((event) => this.#notified(event)))
    this.#exited = ended.then((error) => {
      died(error)
      this.#gone()
    })
  }

  /** How many it listens to. */
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

  /** The track ends here and not in the thread, so that everything was told before its end. What is on it can still be read. */
  #ended(vad: number, { sound, track }: Listening): void {
    this.#listening.delete(vad)
    sound.close()
    track.end()
  }

  /** False: it was over already. The thread goes on with both until it has heard of it, so their memory is not free yet. */
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
