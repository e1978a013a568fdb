import { webFrameSamples } from '#core/kernel/ports/browser.ts'
import type { MediaStream, PcmEndpoint } from '#media/engine.ts'
import { pcmStreamSettings } from '#media/stream/pcm-link.ts'
import { Microphone } from './microphone.ts'
import type { Agreed, Answered, MediaSession } from '../sdp/media-session.ts'

interface WebMediaSessionOptions {
  /** Stream of the leg, once it is open. */
  stream: () => MediaStream | undefined
  /** Called with the next 20 ms for the far end; undefined: it neither hears nor speaks. */
  hears: ((samples: Int16Array) => void) | undefined
}

/** Played and fed sound takes its time, heard or not. */
const agreed: Agreed = { settings: pcmStreamSettings, heldByPeer: false }

/** The far end is not on the network: its sound is passed as samples. Offers and answers are empty. */
export class WebMediaSession implements MediaSession {
  holding = false
  readonly #options: WebMediaSessionOptions
  #microphone: Microphone | undefined
  #closed = false

  constructor(options: WebMediaSessionOptions) {
    this.#options = options
  }

  likes(): boolean {
    return true
  }

  offer(): string {
    return ''
  }

  answer(): Answered {
    const { stream, hears } = this.#options
    const end = hears && stream()?.openPcm()
    if (end) {
      this.#microphone = new Microphone(end)
      void this.#pass(end, hears)
    }
    return { sdp: '', agreed }
  }

  confirm(): Agreed {
    return agreed
  }

  /** Sound of a far end on hold is ignored. */
  says(samples: Int16Array): void {
    if (!this.#closed && !this.holding) this.#microphone?.write(samples)
  }

  close(): void {
    this.#closed = true
  }

  async #pass(end: PcmEndpoint, hears: (samples: Int16Array) => void): Promise<void> {
    const frame = new Int16Array(webFrameSamples)
    for (;;) {
      await end.has(frame.length)
      if (this.#closed || end.available < frame.length) return
      end.read(frame)
      hears(frame)
    }
  }
}
