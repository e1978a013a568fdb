import type { WebCaller, WebFarEnd } from '#core/kernel/ports/browser.ts'
import { LegAudio, type AudioParts } from '../leg/leg-audio.ts'
import { ConnectedLeg } from './connected-leg.ts'
import { UnheardAudio } from './unheard-audio.ts'
import { WebMediaSession } from './web-media-session.ts'

interface WebLegOptions {
  audio: AudioParts
  caller: WebCaller
  sound: boolean
  fast: boolean
  onFailure: (error: unknown) => void
}

/** A call with a browser user, or with a program, over a connection of the HTTP server. */
export class WebLeg extends ConnectedLeg implements WebFarEnd {
  readonly audio: LegAudio
  readonly #session: WebMediaSession

  constructor(options: WebLegOptions) {
    const { audio, caller, sound, fast, onFailure } = options
    super(caller, { release: () => this.audio.close(), onFailure })
    const hears = sound ? (samples: Int16Array) => caller.hears(samples) : undefined
    this.#session = new WebMediaSession({ stream: () => this.audio.stream, hears })
    this.audio = fast ? new UnheardAudio(audio, this.#session) : new LegAudio(audio, this.#session)
    this.audio.observe({
      dtmf: () => {}, // keys are signalled, never in-band
      silent: () => {}, // a lost browser closes the connection
      broken: () => {}, // there is no media path that could break
      lost: () => void this.life.end({ by: 'us', cause: 'failed' }),
    })
  }

  says(samples: Int16Array): void {
    if (this.answered) this.#session.says(samples)
  }

  /** Input of a far end on hold is ignored. */
  types(text: string): boolean {
    if (this.holding || this.over || !this.life.isObserved('typed')) return false
    this.life.notify((observer) => observer.typed?.(text))
    return true
  }

  protected async negotiate(): Promise<boolean> {
    try {
      await this.audio.open()
      if (!this.over) await this.audio.answer('', undefined)
    } catch {
      this.life.end({ by: 'us', cause: 'overloaded' })
    }
    return !this.over
  }
}
