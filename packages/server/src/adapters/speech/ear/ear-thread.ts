import { extname } from 'node:path'
import type { Ear, VadObserver } from '#core/kernel/ports/speech.ts'
import type { LegSound } from '#core/kernel/ports/telephony.ts'
import type { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { MemoryPool } from '#media/thread/memory-pool.ts'
import { startModelThread, type ModelThread } from '../model-thread.ts'
import type { EarCommand, EarEvent, EarThreadSettings } from './ear-protocol.ts'

interface Listening {
  sound: LegSound
  track: SoundTrack
  observer: VadObserver
}

/** One thread of ears, seen from the main thread. */
export class EarThread {
  readonly #worker: ModelThread['worker']
  readonly #memory: MemoryPool
  readonly #listening = new Map<number, Listening>()
  /** Closed here; the thread has not confirmed yet that it has released them. */
  readonly #closing = new Map<number, Listening>()
  readonly #exited: Promise<void>
  #ending = false

  /** `memory`: where tracks go when they are over. `died`: it ended by itself. */
  constructor(settings: EarThreadSettings, memory: MemoryPool, died: (error: Error | undefined) => void) {
    this.#memory = memory
    const { worker, ended } = startModelThread(new URL(`./ear-worker${extname(import.meta.filename)}`, import.meta.url), 'ears', settings)
    this.#worker = worker
    worker.on('message', (events: EarEvent[]) => events.forEach((event) => this.#told(event)))
    this.#exited = ended.then((error) => {
      died(error)
      this.#gone()
    })
  }

  /** How many it listens to. */
  get load(): number {
    return this.#listening.size
  }

  listen(ear: number, sound: LegSound, track: SoundTrack, observer: VadObserver): Ear {
    this.#listening.set(ear, { sound, track, observer })
    this.#post({ do: 'listen', ear, sound: sound.buffer, track: track.buffer, beeps: observer.beep !== undefined })
    let closed = false
    const close = (): void => {
      if (closed) return
      closed = true
      if (!this.#close(ear)) this.#giveBack(track)
    }
    return { track, close }
  }

  async close(): Promise<void> {
    this.#ending = true
    for (const ear of this.#listening.keys()) this.#close(ear)
    this.#post({ do: 'end' })
    await this.#exited
  }

  #told(event: EarEvent): void {
    if (event.tell === 'closed') return this.#closed(event.ear)
    const listening = this.#listening.get(event.ear)
    if (!listening) return
    if (event.tell === 'over') this.#over(event.ear, listening)
    else listening.observer[event.tell]?.(event.at)
  }

  /** The track ends here and not in the thread, so that everything was told before its end. What is on it can still be read. */
  #over(ear: number, { sound, track }: Listening): void {
    this.#listening.delete(ear)
    sound.close()
    track.end()
  }

  /** False: it was over already. The thread goes on with both until it has heard of it, so their memory is not free yet. */
  #close(ear: number): boolean {
    const listening = this.#listening.get(ear)
    if (!listening) return false
    this.#listening.delete(ear)
    this.#closing.set(ear, listening)
    listening.track.end()
    this.#post({ do: 'close', ear })
    return true
  }

  #closed(ear: number): void {
    const listening = this.#closing.get(ear)
    if (!listening) return
    this.#closing.delete(ear)
    listening.sound.close()
    this.#giveBack(listening.track)
  }

  #giveBack(track: SoundTrack): void {
    track.leave()
    this.#memory.give(track.buffer)
  }

  #gone(): void {
    for (const ear of this.#closing.keys()) this.#closed(ear)
    for (const [ear, listening] of this.#listening) {
      this.#over(ear, listening)
      if (!this.#ending) listening.observer.lost()
    }
  }

  #post(command: EarCommand): void {
    this.#worker.postMessage(command, [])
  }
}
