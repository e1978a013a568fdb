import type { Cause, Leg, LegEnd, LegObserver, FaxLeg } from '#core/kernel/ports/telephony.ts'
import type { WebCaller, WebFarEnd } from '#core/kernel/ports/web-legs.ts'
import { LegAudio, type AudioParts } from '../leg/leg-audio.ts'
import { LegLife } from '../leg/leg-life.ts'
import { UnheardAudio } from './unheard-audio.ts'
import { WebMediaSession } from './web-media-session.ts'

export interface WebLegOptions {
  audio: AudioParts
  caller: WebCaller
  sound: boolean
  fast: boolean
  onFailure: (error: unknown) => void
}

/** A call with a user in a browser, or with a program, over a connection that the HTTP server holds. */
export class WebLeg implements Leg, WebFarEnd {
  readonly audio: LegAudio
  readonly heldByPeer = false
  /** A browser cannot call another party. */
  readonly refers = false
  readonly #options: WebLegOptions
  readonly #session: WebMediaSession
  readonly #life: LegLife
  #opening: Promise<boolean> | undefined
  #holding = false

  constructor(options: WebLegOptions) {
    const { audio, caller, sound, fast, onFailure } = options
    this.#options = options
    this.#life = new LegLife({ release: () => this.audio.close(), onFailure })
    const hears = sound ? (samples: Int16Array) => caller.hears(samples) : undefined
    this.#session = new WebMediaSession({ stream: () => this.audio.stream, hears })
    this.audio = fast ? new UnheardAudio(audio, this.#session) : new LegAudio(audio, this.#session)
    this.audio.observe({
      dtmf: () => {}, // keys are told, not heard
      silent: () => {}, // a browser that is gone closes the connection
      broken: () => {}, // there is no way that could break
      lost: () => void this.#life.end({ by: 'us', cause: 'failed' }),
    })
  }

  get id(): string {
    return this.#life.id
  }

  get ended(): Promise<LegEnd> {
    return this.#life.ended
  }

  get leg(): Leg {
    return this
  }

  get answered(): boolean {
    return this.#life.answered
  }

  get over(): boolean {
    return this.#life.over
  }

  observe(observer: LegObserver): () => void {
    return this.#life.observe(observer)
  }

  ring(): void {
    if (this.#life.pending) this.#options.caller.ringing()
  }

  /** A browser has nothing to show for it. */
  proceed(): void {}

  async openEarly(): Promise<void> {
    await this.#open()
  }

  async answer(): Promise<void> {
    if (!(await this.#open()) || this.answered) return
    this.#life.answered = true
    this.#options.caller.answered()
  }

  async hangUp(cause: Cause): Promise<void> {
    this.#life.end({ by: 'us', cause })
  }

  async hold(value: boolean): Promise<void> {
    if (this.over || value === this.#holding) return
    if (!this.answered) throw new Error('a leg that has not answered cannot be put on hold')
    this.#holding = value
    this.audio.holding = value
    this.audio.playHoldMusic(value)
    this.#options.caller.held(value)
  }

  /** No other process has its connection: it ends with its call. */
  abandon(): void {
    this.#life.end({ by: 'us', cause: 'normal' })
  }

  /** With the process the connection is gone, too. */
  dialog(): undefined {
    return undefined
  }

  async refer(): Promise<void> {
    throw new Error('a browser cannot be asked to call')
  }

  asFax(): FaxLeg {
    throw new Error('a browser sends no fax')
  }

  says(samples: Int16Array): void {
    if (this.answered) this.#session.says(samples)
  }

  /** A far end on hold is not listened to. */
  types(text: string): boolean {
    if (this.#holding || this.over || !this.#life.isObserved('typed')) return false
    this.#life.notify((observer) => observer.typed?.(text))
    return true
  }

  presses(digits: string): void {
    if (this.#holding) return
    for (const digit of digits) this.#life.pressed(digit, { sounded: false })
  }

  hangsUp(): void {
    this.#life.end({ by: 'peer', cause: 'normal' })
  }

  /** False when the call is over because of it, or was before. */
  async #open(): Promise<boolean> {
    const opened = await (this.#opening ??= this.#openAudio())
    return opened && !this.over
  }

  async #openAudio(): Promise<boolean> {
    try {
      await this.audio.open()
      if (!this.over) await this.audio.answer('', undefined)
    } catch {
      this.#life.end({ by: 'us', cause: 'overloaded' })
    }
    return !this.over
  }
}
