import type { VoiceDetector } from '#adapters/speech/vad/energy-detector.ts'
import { StreamVad } from '#adapters/speech/vad/stream-vad.ts'
import type { VadStream, Vad, VadObserver } from '#core/kernel/ports/speech.ts'
import type { LegSound } from '#core/kernel/ports/audio.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'

const trackSeconds = 30

/** The service's VAD without its thread: it processes input on demand, so every run is the same. */
export class VirtualVad implements Vad {
  readonly #detector: VoiceDetector
  #ear: StreamVad | undefined

  constructor(detector: VoiceDetector) {
    this.#detector = detector
  }

  listen(sound: LegSound, observer: VadObserver): VadStream {
    const track = SoundTrack.of(trackSeconds)
    this.#ear = new StreamVad({
      sound: sound.buffer,
      track: track.buffer,
      detector: this.#detector,
      cancelsEcho: true,
      observer,
      beep: undefined,
    })
    return {
      track,
      close: () => {
        this.#ear = undefined
        sound.close()
      },
    }
  }

  look(): void {
    for (let ear = this.#ear; ear?.nextWindow() === true; ear = this.#ear) ear.judge(this.#detector.probability(ear))
  }
}
