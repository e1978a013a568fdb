import type { BrowserFarEnd, DeclineCause, PageCall, PageReport, PageTransfer } from '#core/kernel/ports/browser.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { CapacityExceeded, type Leg } from '#core/kernel/ports/telephony.ts'
import { type LegQuality } from '#core/kernel/ports/audio.ts'
import { MediaFull } from '#media/socket/port-pool.ts'
import { audioOf, type LegAudio } from '../leg/leg-audio.ts'
import { legQuality } from '../leg/leg-quality.ts'
import { ConnectedLeg } from '../web/connected-leg.ts'
import { WebMediaSession } from '../web/web-media-session.ts'

interface BrowserLegOptions {
  clock: Pick<Clock, 'after'>
  audio: LegAudio
  told: PageCall
  /** Missing while the page rings: its offer comes with the answer. */
  offer?: string | undefined
  onFailure: (error: unknown) => void
}

/** Milliseconds; a longer silence is not just a pause of the other side. */
const noAudioMs = 3_000
/** Milliseconds until a connected page must have set up another media path. */
const wayMs = 10_000

/** A call with a console page: our own signalling, WebRTC for the sound, or samples when WebRTC fails. */
export class BrowserLeg extends ConnectedLeg implements BrowserFarEnd {
  readonly audio: LegAudio
  readonly #told: PageCall
  readonly #clock: Pick<Clock, 'after'>
  readonly #quality = Promise.withResolvers<LegQuality | undefined>()
  #offer: string | undefined
  #notListening = false
  #report: PageReport | undefined
  /** Used instead of WebRTC. */
  #samples: WebMediaSession | undefined
  #hears: (samples: Int16Array) => void = () => {}
  #foundWay: () => void = () => {}

  constructor({ clock, audio, told: notified, offer, onFailure }: BrowserLegOptions) {
    super(notified, {
      release: () => {
        this.#foundWay()
        return audio.close().finally(() => this.#quality.resolve(undefined))
      },
      onFailure,
    })
    this.#clock = clock
    this.audio = audio
    this.#told = notified
    this.#offer = offer
    audio.observe({
      dtmf: (digit) => this.life.pressed(digit, { sounded: true }),
      sound: (state) => this.life.notify((observer) => observer.sound?.(state)),
      silent: () => {}, // the socket's heartbeat detects a lost page
      ended: (quality) => this.#quality.resolve(withReport(legQuality(quality), this.#report)),
      broken: () => this.#loseWay(),
      lost: () => void this.life.end({ by: 'us', cause: 'failed' }),
    })
  }

  get quality(): Promise<LegQuality | undefined> {
    return this.#quality.promise
  }

  get codec(): string | undefined {
    return this.audio.codec
  }

  /** Drops the page's sound here: the page only needs to know that it is on hold. */
  protected override async renegotiate(): Promise<void> {
    if (!this.#samples && this.#offer !== undefined) await this.audio.answer(this.#offer, undefined)
  }

  movedTo(callId: string): void {
    if (!this.over) this.#told.moved(callId)
  }

  async prepare(near: Leg | undefined): Promise<void> {
    const beside = near && audioOf(near)
    try {
      await Promise.all([beside?.open(), this.audio.open(beside)])
    } catch (error) {
      this.life.end({ by: 'us', cause: 'overloaded' })
      throw error instanceof MediaFull ? new CapacityExceeded(error) : error
    }
  }

  rings(): void {
    if (this.life.pending) this.life.notify((observer) => observer.ringing?.())
  }

  async accepts(offer: string): Promise<void> {
    if (!this.life.pending || this.#offer !== undefined) return
    this.#offer = offer
    if (!(await this.openMedia(false))) return
    this.life.answered = true
    this.#told.answered()
    this.life.notify((observer) => observer.answered?.())
  }

  declines(cause: DeclineCause): void {
    if (this.life.pending) this.life.end({ by: 'peer', cause })
  }

  vanishes(): void {
    this.life.end({ by: 'network', cause: 'unavailable' })
  }

  holds(value: boolean): void {
    if (this.over || !this.answered || value === this.heldByPeer) return
    this.heldByPeer = value
    this.life.notify((observer) => observer.held?.(value))
  }

  transfers(to: { dialled: string } | { leg: Leg }, notified: PageTransfer): void {
    if (!this.answered || this.over) return notified.failed('not_found')
    this.life.notify((observer) => observer.transferAsked?.({ to, ...notified }))
  }

  reports(report: PageReport): void {
    this.#report = report
    const notListening = report.silentMs > noAudioMs && !this.heldByPeer && !this.holding
    if (notListening === this.#notListening) return
    this.#notListening = notListening
    this.life.notify((observer) => observer.sound?.(notListening ? 'unheard' : 'heard'))
  }

  async carries(hears: (samples: Int16Array) => void): Promise<(samples: Int16Array) => void> {
    this.#hears = hears
    if (!(await this.media) || this.over) return () => {}
    const session = this.#samples ?? (await this.#useSamples())
    return (samples) => session.says(samples)
  }

  async #useSamples(): Promise<WebMediaSession> {
    const session = new WebMediaSession({ stream: () => this.audio.stream, hears: (samples) => this.#hears(samples) })
    this.#samples = session
    this.#foundWay()
    session.holding = this.holding
    this.audio.use(session)
    await this.audio.answer('', undefined)
    return session
  }

  /** Also when the gateway died: the page and the other party are still connected. */
  #loseWay(): void {
    if (this.over) return
    this.#foundWay = this.#clock.after(wayMs, () => this.life.end({ by: 'network', cause: 'media_timeout' }))
    this.#told.lostWay()
  }

  protected async negotiate(early: boolean): Promise<boolean> {
    try {
      await this.audio.open()
    } catch {
      return !this.life.end({ by: 'us', cause: 'overloaded' })
    }
    const answer = this.over || this.#offer === undefined ? undefined : await this.audio.answer(this.#offer, undefined)
    if (answer === undefined) this.life.end({ by: 'us', cause: 'not_acceptable' })
    else if (!this.over) this.#told.media(answer, early)
    return answer !== undefined
  }
}

/** A page's own measurement is better than that of its packets. */
const withReport = (measured: LegQuality | undefined, report: PageReport | undefined): LegQuality | undefined => {
  if (!measured || !report) return measured
  const { lossPct, rttMs } = report
  return {
    ...measured,
    ...(rttMs !== undefined && { roundTripMs: Math.round(rttMs * 10) / 10 }),
    reported: { lossPercent: Math.round(lossPct * 10) / 10 },
  }
}
