import { webFrameSamples } from '#core/kernel/ports/web-legs.ts'
import type { MediaStream, PcmEndpoint } from '#media/engine.ts'
import { pcmStreamSettings } from '#media/stream/pcm-link.ts'
import { Microphone } from './microphone.ts'
import type { Agreed, Answered, MediaSession } from '../sdp/media-session.ts'

export interface WebMediaSessionOptions {
  /** That of the leg, once it is open. */
  stream: () => MediaStream | undefined
  /** The next 20 ms of what the far end hears; undefined: it neither hears nor says anything. */
  hears: ((samples: Int16Array) => void) | undefined
}

/** What is played and fed takes its time, heard or not. */
const agreed: Agreed = { settings: pcmStreamSettings, heldByPeer: false }

/** The far end is not on the network: its sound goes in and out as samples. There is nothing to describe, so offers and answers are empty. */
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

  /** A far end on hold is not listened to. */
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
