import { randomUUID } from 'node:crypto'
import type { Cause, Leg, LegEnd, LegObserver, Playback, FaxLeg } from '#core/kernel/ports/telephony.ts'
import type { WebCaller, WebLine } from '#core/kernel/ports/web-line.ts'
import { LegAudio, type AudioParts } from '../leg/leg-audio.ts'
import { LegObservers } from '../leg/leg-observers.ts'
import { WebTalk } from './web-talk.ts'

export interface WebLegOptions {
  audio: AudioParts
  caller: WebCaller
  sound: boolean
  onFailure: (error: unknown) => void
}

/** A call with somebody in a browser, or with a program, over a connection that others hold. */
export class WebLeg implements Leg, WebLine {
  readonly id = randomUUID()
  readonly audio: LegAudio
  readonly ended: Promise<LegEnd>
  readonly heldByPeer = false
  /** The far end knows nobody whom it could call. */
  readonly refers = false
  readonly #options: WebLegOptions
  readonly #talk: WebTalk
  readonly #observers: LegObservers
  #opening: Promise<boolean> | undefined
  #answered = false
  #holding = false
  #music: Playback | undefined
  #over = false
  #end: (end: LegEnd) => void = () => {}

  constructor(options: WebLegOptions) {
    const { audio, caller, sound, onFailure } = options
    this.#options = options
    this.#observers = new LegObservers(onFailure)
    const hears = sound ? (samples: Int16Array) => caller.hears(samples) : undefined
    this.#talk = new WebTalk({ stream: () => this.audio.stream, hears })
    this.audio = new LegAudio(audio, this.#talk)
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    this.audio.observe({
      dtmf: () => {}, // keys are told, not heard
      silent: () => {}, // who is gone closes the connection
      broken: () => {}, // there is no way that could break
      lost: () => this.#finish({ by: 'us', cause: 'failed' }),
    })
  }

  get leg(): Leg {
    return this
  }

  get answered(): boolean {
    return this.#answered
  }

  get over(): boolean {
    return this.#over
  }

  observe(observer: LegObserver): () => void {
    return this.#observers.add(observer)
  }

  ring(): void {
    if (!this.#over && !this.#answered) this.#options.caller.ringing()
  }

  /** A browser has nothing to show for it. */
  proceed(): void {}

  async openEarly(): Promise<void> {
    await this.#open()
  }

  async answer(): Promise<void> {
    if (!(await this.#open()) || this.#answered) return
    this.#answered = true
    this.#options.caller.answered()
  }

  async hangUp(cause: Cause): Promise<void> {
    this.#finish({ by: 'us', cause })
  }

  async hold(value: boolean): Promise<void> {
    if (this.#over || value === this.#holding) return
    if (!this.#answered) throw new Error('who has not answered cannot be put on hold')
    this.#holding = value
    this.audio.holding = value
    this.#music?.stop()
    this.#music = value ? this.audio.play({ music: 'hold' }, { loop: true }) : undefined
    this.#options.caller.held(value)
  }

  /** With the process the connection is gone, too. */
  dialog(): undefined {
    return undefined
  }

  async refer(): Promise<void> {
    throw new Error('somebody in a browser cannot be asked to call')
  }

  asFax(): FaxLeg {
    throw new Error('somebody in a browser sends no fax')
  }

  says(samples: Int16Array): void {
    if (this.#answered) this.#talk.says(samples)
  }

  /** Who is on hold is not listened to. */
  types(text: string): boolean {
    if (this.#holding || this.#over || !this.#observers.heed('typed')) return false
    this.#observers.tell((observer) => observer.typed?.(text))
    return true
  }

  presses(digits: string): void {
    if (this.#holding) return
    for (const digit of digits) this.#observers.tell((observer) => observer.dtmf?.(digit, false))
  }

  hangsUp(): void {
    this.#finish({ by: 'peer', cause: 'normal' })
  }

  /** False when the call is over because of it, or was before. */
  async #open(): Promise<boolean> {
    const opened = await (this.#opening ??= this.#openAudio())
    return opened && !this.#over
  }

  async #openAudio(): Promise<boolean> {
    try {
      await this.audio.open()
      if (!this.#over) await this.audio.answer('', undefined)
    } catch {
      this.#finish({ by: 'us', cause: 'overloaded' })
    }
    return !this.#over
  }

  #finish(end: LegEnd): void {
    if (this.#over) return
    this.#over = true
    this.#observers.clear()
    this.#end(end)
    this.audio.close().catch((error: unknown) => this.#options.onFailure(error))
  }
}
