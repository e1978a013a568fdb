import type { BrowserFarEnd, DeclineCause, PageCall, PageReport, PageTransfer } from '#core/kernel/ports/browser/browser-legs.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { CapacityExceeded, type Cause, type FaxLeg, type Leg, type LegEnd, type LegObserver, type LegQuality } from '#core/kernel/ports/telephony.ts'
import { MediaFull } from '#media/socket/port-pool.ts'
import { audioOf } from '../leg/audio-of.ts'
import type { LegAudio } from '../leg/leg-audio.ts'
import { LegLife } from '../leg/leg-life.ts'
import { legQuality } from '../leg/leg-quality.ts'
import { WebMediaSession } from '../web/web-media-session.ts'

export interface BrowserLegOptions {
  clock: Pick<Clock, 'after'>
  audio: LegAudio
  told: PageCall
  /** Missing while the page rings: its offer comes when somebody accepts. */
  offer?: string | undefined
  onFailure: (error: unknown) => void
}

/** From then on the user is not only in a pause of the other side. */
const noAudioMs = 3_000
/** A page that is there needs one of them for another way. */
const wayMs = 10_000

/** A call with a page of the console: signalling of our own, WebRTC for the sound, or samples where WebRTC finds no way. */
export class BrowserLeg implements Leg, BrowserFarEnd {
  readonly audio: LegAudio
  heldByPeer = false
  /** A page cannot be asked to call. */
  readonly refers = false
  readonly #told: PageCall
  readonly #clock: Pick<Clock, 'after'>
  readonly #life: LegLife
  readonly #quality = Promise.withResolvers<LegQuality | undefined>()
  #offer: string | undefined
  #media: Promise<boolean> | undefined
  #holding = false
  #notListening = false
  #report: PageReport | undefined
  /** Instead of WebRTC. */
  #samples: WebMediaSession | undefined
  #hears: (samples: Int16Array) => void = () => {}
  #foundWay: () => void = () => {}

  constructor({ clock, audio, told: notified, offer, onFailure }: BrowserLegOptions) {
    this.#clock = clock
    this.audio = audio
    this.#told = notified
    this.#offer = offer
    this.#life = new LegLife({
      release: () => {
        this.#foundWay()
        return audio.close().finally(() => this.#quality.resolve(undefined))
      },
      onFailure,
    })
    audio.observe({
      dtmf: (digit) => this.#life.pressed(digit, { sounded: true }),
      sound: (state) => this.#life.notify((observer) => observer.sound?.(state)),
      silent: () => {}, // the socket's heartbeat tells who is gone
      ended: (quality) => this.#quality.resolve(withReport(legQuality(quality), this.#report)),
      broken: () => this.#loseWay(),
      lost: () => void this.#life.end({ by: 'us', cause: 'failed' }),
    })
  }

  get id(): string {
    return this.#life.id
  }

  get leg(): Leg {
    return this
  }

  get ended(): Promise<LegEnd> {
    return this.#life.ended
  }

  get quality(): Promise<LegQuality | undefined> {
    return this.#quality.promise
  }

  get codec(): string | undefined {
    return this.audio.codec
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
    if (this.#life.pending) this.#told.ringing()
  }

  /** A page has nothing to show for it. */
  proceed(): void {}

  async openEarly(): Promise<void> {
    if (this.#life.pending) await this.#openMedia(true)
  }

  async answer(): Promise<void> {
    if (this.answered || !(await this.#openMedia(false)) || this.answered) return
    this.#life.answered = true
    this.#told.answered()
  }

  async hangUp(cause: Cause): Promise<void> {
    this.#life.end({ by: 'us', cause })
  }

  /** What the page says meanwhile is dropped here: it need not know more than that it is on hold. */
  async hold(value: boolean): Promise<void> {
    if (this.over || value === this.#holding) return
    if (!this.answered || this.#offer === undefined) throw new Error('a leg that has not answered cannot be put on hold')
    this.#holding = value
    this.audio.holding = value
    if (!this.#samples) await this.audio.answer(this.#offer, undefined)
    this.audio.playHoldMusic(value)
    this.#told.held(value)
  }

  movedTo(callId: string): void {
    if (!this.over) this.#told.moved(callId)
  }

  /** No other process has its page: it ends with its call. */
  abandon(): void {
    this.#life.end({ by: 'us', cause: 'normal' })
  }

  /** With the process the connection is gone, too. */
  dialog(): undefined {
    return undefined
  }

  async refer(): Promise<void> {
    throw new Error('a page cannot be asked to call')
  }

  asFax(): FaxLeg {
    throw new Error('a page sends no fax')
  }

  async prepare(near: Leg | undefined): Promise<void> {
    const beside = near && audioOf(near)
    try {
      await Promise.all([beside?.open(), this.audio.open(beside)])
    } catch (error) {
      this.#life.end({ by: 'us', cause: 'overloaded' })
      throw error instanceof MediaFull ? new CapacityExceeded(error) : error
    }
  }

  rings(): void {
    if (this.#life.pending) this.#life.notify((observer) => observer.ringing?.())
  }

  async accepts(offer: string): Promise<void> {
    if (!this.#life.pending || this.#offer !== undefined) return
    this.#offer = offer
    if (!(await this.#openMedia(false))) return
    this.#life.answered = true
    this.#told.answered()
    this.#life.notify((observer) => observer.answered?.())
  }

  declines(cause: DeclineCause): void {
    if (this.#life.pending) this.#life.end({ by: 'peer', cause })
  }

  hangsUp(): void {
    this.#life.end({ by: 'peer', cause: 'normal' })
  }

  vanishes(): void {
    this.#life.end({ by: 'network', cause: 'unavailable' })
  }

  presses(digits: string): void {
    if (this.#holding) return
    for (const digit of digits) this.#life.pressed(digit, { sounded: false })
  }

  holds(value: boolean): void {
    if (this.over || !this.answered || value === this.heldByPeer) return
    this.heldByPeer = value
    this.#life.notify((observer) => observer.held?.(value))
  }

  transfers(to: { dialled: string } | { leg: Leg }, notified: PageTransfer): void {
    if (!this.answered || this.over) return notified.failed('not_found')
    this.#life.notify((observer) => observer.transferAsked?.({ to, ...notified }))
  }

  reports(report: PageReport): void {
    this.#report = report
    const notListening = report.silentMs > noAudioMs && !this.heldByPeer && !this.#holding
    if (notListening === this.#notListening) return
    this.#notListening = notListening
    this.#life.notify((observer) => observer.sound?.(notListening ? 'unheard' : 'heard'))
  }

  async carries(hears: (samples: Int16Array) => void): Promise<(samples: Int16Array) => void> {
    this.#hears = hears
    if (!(await this.#media) || this.over) return () => {}
    const session = this.#samples ?? (await this.#useSamples())
    return (samples) => session.says(samples)
  }

  async #useSamples(): Promise<WebMediaSession> {
    const session = new WebMediaSession({ stream: () => this.audio.stream, hears: (samples) => this.#hears(samples) })
    this.#samples = session
    this.#foundWay()
    session.holding = this.#holding
    this.audio.use(session)
    await this.audio.answer('', undefined)
    return session
  }

  /** Be it that the gateway died: the page is still there, and so is whoever it talks to. */
  #loseWay(): void {
    if (this.over) return
    this.#foundWay = this.#clock.after(wayMs, () => this.#life.end({ by: 'network', cause: 'media_timeout' }))
    this.#told.lostWay()
  }

  /** False when the call is over because of it, or was before. */
  async #openMedia(early: boolean): Promise<boolean> {
    const opened = await (this.#media ??= this.#negotiate(early))
    return opened && !this.over
  }

  async #negotiate(early: boolean): Promise<boolean> {
    try {
      await this.audio.open()
    } catch {
      return !this.#life.end({ by: 'us', cause: 'overloaded' })
    }
    const answer = this.over || this.#offer === undefined ? undefined : await this.audio.answer(this.#offer, undefined)
    if (answer === undefined) this.#life.end({ by: 'us', cause: 'not_acceptable' })
    else if (!this.over) this.#told.media(answer, early)
    return answer !== undefined
  }
}

/** A page measures better than its packets tell. */
const withReport = (measured: LegQuality | undefined, report: PageReport | undefined): LegQuality | undefined => {
  if (!measured || !report) return measured
  const { lossPct, rttMs } = report
  return {
    ...measured,
    ...(rttMs !== undefined && { roundTripMs: Math.round(rttMs * 10) / 10 }),
    reported: { lossPercent: Math.round(lossPct * 10) / 10 },
  }
}
