import type { Ear, VadObserver } from '../../../core/ports/speech.ts'
import type { LegSound } from '../../../core/ports/telephony.ts'
import type { SoundTrack } from '../../../core/sound/sound-track.ts'
import { startModelThread, type ModelThread } from '../model-thread.ts'
import type { EarCommand, EarNotice, EarThreadSettings } from './protocol.ts'

interface Listening {
  sound: LegSound
  track: SoundTrack
  observer: VadObserver
}

/** One thread of ears, seen from the main thread. */
export class EarThread {
  readonly #worker: ModelThread['worker']
  readonly #listening = new Map<number, Listening>()
  readonly #exited: Promise<void>
  #closing = false

  /** `died`: it ended by itself. */
  constructor(settings: EarThreadSettings, died: (error: Error | undefined) => void) {
    const { worker, ended } = startModelThread(new URL('./ear-worker.ts', import.meta.url), 'ears', settings)
    this.#worker = worker
    worker.on('message', (notices: EarNotice[]) => notices.forEach((notice) => this.#told(notice)))
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
    return { track, close: () => this.#forget(ear) }
  }

  async close(): Promise<void> {
    this.#closing = true
    for (const ear of this.#listening.keys()) this.#forget(ear)
    this.#post({ do: 'end' })
    await this.#exited
  }

  #told(notice: EarNotice): void {
    const listening = this.#listening.get(notice.ear)
    if (!listening) return
    if (notice.tell === 'over') this.#forget(notice.ear)
    else if (notice.tell === 'beep') listening.observer.beep?.(notice.at)
    else listening.observer[notice.tell](notice.at)
  }

  /** The track ends here and not in the thread, so that everything was told before its end. */
  #forget(ear: number): void {
    const listening = this.#listening.get(ear)
    if (!listening) return
    this.#listening.delete(ear)
    listening.sound.close()
    listening.track.end()
    this.#post({ do: 'close', ear })
  }

  #gone(): void {
    for (const [ear, { observer }] of this.#listening) {
      this.#forget(ear)
      if (!this.#closing) observer.lost()
    }
  }

  #post(command: EarCommand): void {
    this.#worker.postMessage(command, [])
  }
}
