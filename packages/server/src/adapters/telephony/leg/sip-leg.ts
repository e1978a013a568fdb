import type {
  Cause,
  Leg,
  LegEnd,
  LegObserver,
  LegQuality,
  NotResumed,
  SavedDialog,
  TransferAsked,
  FaxLeg,
} from '#core/kernel/ports/telephony.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { IncomingRefer, OfferReply, Session, SessionEnd, SessionObserver } from '@offhook/sip/session/session.ts'
import type { SipClock } from '@offhook/sip/transport/transport.ts'
import { farewellOf, isIncompatible, legEnd } from './causes.ts'
import { digitOfInfo, DtmfMerge, type DtmfSource } from './dtmf.ts'
import { ExpectedVoice } from './expected-voice.ts'
import type { LegAudio } from './leg-audio.ts'
import { LegHold } from './leg-hold.ts'
import { LegLife } from './leg-life.ts'
import { legQuality } from './leg-quality.ts'
import { askToCall, replacesUri, takeRefer, type TransferTarget } from './leg-refer.ts'
import { offerAgain } from './offer-again.ts'
import { LegNotes, type StoredLeg, type ResumableLeg } from './saved-leg.ts'

export interface LegOptions {
  clock: SipClock
  audio: LegAudio
  /** Gives the session, which tells this observer everything. */
  connect(observer: SessionObserver): Session
  /** The far end did not like our offer: calls it again with another; undefined when there is no other. */
  reconnect?(observer: SessionObserver): Promise<Session | undefined>
  /** Incoming: what the caller offered; undefined when it leaves the offer to us. */
  offer?: { sdp: string | undefined }
  /** The number or the Replaces of a REFER, in our words. */
  transferTarget(refer: IncomingRefer): TransferTarget | undefined
  /** Whose call it is, and whose credentials are used in it. */
  trunkId?: string | undefined
  /** What another process had written down about it. */
  resumed?: ResumableLeg
  /** Where a number is called that we ask the far end to call. */
  referUri(dialled: string): string
  /** Incoming: gives the call to a fax machine. */
  fax?(): FaxLeg
  /** Incoming: the caller offers T.38 only; no telephone rings for that. */
  faxOnly?: boolean
  /** An observer of ours threw. */
  onFailure: (error: unknown) => void
}

/** A call with one phone, over SIP and RTP. */
export class SipLeg implements Leg {
  readonly audio: LegAudio
  /** How often a call that came over it may still be passed on (Max-Forwards): what ends a circle through other networks. */
  forwardsLeft = 70
  #session: Session
  readonly #options: LegOptions
  readonly #life: LegLife
  readonly #keys = new DtmfMerge()
  #answering: Promise<string | undefined> | undefined
  #accepting: Promise<void> | undefined
  readonly #hold: LegHold
  readonly #voice: ExpectedVoice
  readonly #notes = new LegNotes(() => this.#kept())
  #abandoned = false
  readonly #quality = Promise.withResolvers<LegQuality | undefined>()

  constructor(options: LegOptions) {
    const { resumed } = options
    this.#options = options
    this.audio = options.audio
    this.#life = new LegLife({
      id: resumed?.legId,
      // A stream that was never open, or got lost, says nothing about itself.
      release: () => this.audio.close({ silently: this.#abandoned }).finally(() => this.#quality.resolve(undefined)),
      onFailure: options.onFailure,
    })
    this.#voice = new ExpectedVoice(this.audio, () => this.answered)
    this.#hold = this.#openHold()
    if (resumed) this.#resume(resumed)
    this.audio.observe({
      dtmf: (digit, source) => this.#key(digit, source),
      sound: (state) => this.#voice.matters() && this.#life.notify((observer) => observer.sound?.(state)),
      silent: () => this.#fellSilent(),
      ended: (quality) => this.#quality.resolve(this.#abandoned ? undefined : legQuality(quality)),
      broken: () => void this.#giveUp({ by: 'network', cause: 'media_timeout' }),
      lost: () => void this.#giveUp({ by: 'us', cause: 'failed' }),
      changed: () => this.#noteChange(),
    })
    this.#session = options.connect(this.#sessionObserver())
  }

  get id(): string {
    return this.#life.id
  }

  get ended(): Promise<LegEnd> {
    return this.#life.ended
  }

  get quality(): Promise<LegQuality | undefined> {
    return this.#quality.promise
  }

  get session(): Session {
    return this.#session
  }

  get answered(): boolean {
    return this.#life.answered
  }

  get heldByPeer(): boolean {
    return this.#hold.theirs
  }

  get trunkId(): string | undefined {
    return this.#options.trunkId
  }

  get codec(): string | undefined {
    return this.audio.codec
  }

  get over(): boolean {
    return this.#life.over
  }

  observe(observer: LegObserver): () => void {
    const stop = this.#life.observe(observer)
    if (!observer.dtmf) return stop
    this.audio.wantKeys(true)
    return () => {
      stop()
      this.audio.wantKeys(this.#life.isObserved('dtmf'))
    }
  }

  ring(): void {
    if (this.#options.faxOnly) return void this.#giveUp({ by: 'us', cause: 'not_acceptable' })
    if (this.#life.pending) void this.session.progress(180)
  }

  proceed(): void {
    if (this.#life.pending && !this.#answering) void this.session.progress(183)
  }

  async openEarly(): Promise<void> {
    if (!this.#life.pending || this.#answering) return
    const sdp = await this.#answerOffer()
    if (sdp !== undefined) await this.session.progress(183, { sdp })
  }

  /** A second call gives the same answer. */
  answer(): Promise<void> {
    return (this.#accepting ??= this.#accept())
  }

  async #accept(): Promise<void> {
    if (!this.#life.pending) return
    const offered = this.#options.offer?.sdp !== undefined
    const sdp = await (offered ? this.#answerOffer() : this.#offerLate())
    if (sdp === undefined || this.over) return
    this.#life.answered = await this.session.accept({ sdp })
    this.#voice.look()
    this.#noteChange()
  }

  #resume({ holding = false, muted = false, forwardsLeft, media }: ResumableLeg): void {
    this.#life.answered = true
    this.#hold.resumeCall({ ours: holding, theirs: !media.settings.send })
    this.audio.mute(muted)
    if (forwardsLeft !== undefined) this.forwardsLeft = forwardsLeft
  }

  /** Tells the far end that its audio is here from now on. Undefined when it goes on; otherwise the leg is over. */
  async resume(near: LegAudio | undefined, agreed: () => Promise<void>): Promise<NotResumed | undefined> {
    try {
      await near?.open()
      await this.audio.open(near)
    } catch {
      this.abandon()
      return 'full'
    }
    const { status, sdp } = await offerAgain(this.#options.clock, this.session, this.audio)
    if (this.over) return 'gone'
    if (sdp !== undefined) await agreed().catch(this.#options.onFailure)
    if (!this.over && sdp !== undefined && this.audio.confirm(sdp, this.session.origin)) {
      this.#hold.notice()
      if (this.#hold.ours) this.audio.playHoldMusic(true)
      return undefined
    }
    // Nobody waits for the answer of a far end that may be gone: the other party of the call is to be told at once.
    this.#giveUp({ by: 'us', cause: 'failed' }).catch(this.#options.onFailure)
    return status === 408 || status === 503 ? 'gone' : 'refused'
  }

  async hangUp(cause: Cause): Promise<void> {
    await this.#giveUp({ by: 'us', cause })
  }

  hold(value: boolean): Promise<void> {
    return this.#hold.set(value)
  }

  #openHold(): LegHold {
    return new LegHold({
      audio: this.audio,
      session: () => this.session,
      over: () => this.over,
      answered: () => this.answered,
      confirmed: () => this.#accepting,
      agreed: () => {
        this.#voice.look()
        this.#hold.notice()
        this.#noteChange()
      },
      held: (value) => {
        this.#voice.look()
        this.#life.notify((observer) => observer.held?.(value))
      },
    })
  }

  dialog(): SavedDialog | undefined {
    return this.over ? undefined : this.#notes.write()
  }

  #kept(): StoredLeg {
    const { audio, forwardsLeft, id } = this
    const { trunkId, resumed } = this.#options
    const { trace } = this.session
    return { id, trace, trunkId, media: audio.saved(), holding: this.#hold.ours, muted: audio.muted, forwardsLeft, before: resumed }
  }

  #noteChange(): void {
    if (this.#notes.outdated) this.#life.notify((observer) => observer.changed?.())
  }

  abandon(): void {
    this.#abandoned = true
    this.#life.end({ by: 'us', cause: 'normal' })
    this.session.abandon()
  }

  get refers(): boolean {
    return !this.over && this.answered && this.session.peerAllowsRefer
  }

  async refer(to: { dialled: string } | { leg: Leg }, { ringing }: { ringing?: () => void } = {}): Promise<void> {
    if (this.over || !this.answered) throw new Error('REFER needs an answered leg')
    await askToCall(this.session, 'dialled' in to ? this.#options.referUri(to.dialled) : this.#uriReplacing(to.leg), ringing)
  }

  asFax(): FaxLeg {
    const leg = this.#options.fax?.()
    if (!leg) throw new Error('only an incoming leg can be answered as a fax machine')
    void leg.ended.then((end) => this.#life.end(end))
    return leg
  }

  #uriReplacing(leg: Leg): string {
    if (!(leg instanceof SipLeg)) throw new Error('not a leg of ours')
    return replacesUri(this.#options.referUri('seat'), leg.session)
  }

  /** Undefined when the call is over because of it. */
  #answerOffer(): Promise<string | undefined> {
    return (this.#answering ??= this.#makeAnswer())
  }

  async #makeAnswer(): Promise<string | undefined> {
    const offer = this.#options.offer
    if (offer?.sdp === undefined || !(await this.#openAudio())) return undefined
    const answer = await this.audio.answer(offer.sdp, this.session.origin)
    if (answer === undefined) await this.#giveUp({ by: 'us', cause: 'not_acceptable' })
    this.#hold.notice()
    return answer
  }

  async #offerLate(): Promise<string | undefined> {
    return (await this.#openAudio()) ? await this.audio.offer() : undefined
  }

  async #openAudio(): Promise<boolean> {
    try {
      await this.audio.open()
    } catch {
      await this.#giveUp({ by: 'us', cause: 'overloaded' })
    }
    return !this.over
  }

  #sessionObserver(): SessionObserver {
    return {
      progress: ({ status, sdp }) => this.#progressed(status, sdp),
      answered: (sdp) => this.#wasAnswered(sdp),
      offered: (sdp) => this.#reoffered(sdp),
      acknowledged: (sdp) => this.#confirmed(sdp),
      refreshed: (sdp) => this.#confirmed(sdp),
      moved: () => this.#noteChange(),
      info: (request) => this.#listeners(request),
      referred: (refer) => this.#referred(refer),
      ended: (end) => this.#sessionEnded(end),
    }
  }

  #progressed(status: number, sdp: string | undefined): void {
    if (status === 180) this.#life.notify((observer) => observer.ringing?.())
    if (status === 183 && sdp === undefined) this.#life.notify((observer) => observer.progressing?.())
    if (sdp !== undefined && this.audio.confirm(sdp, this.session.origin)) this.#life.notify((observer) => observer.earlyAudio?.())
  }

  #wasAnswered(sdp: string | undefined): void {
    if (sdp !== undefined && !this.audio.confirm(sdp, this.session.origin))
      return void this.#giveUp({ by: 'network', cause: 'not_acceptable' })
    this.#life.answered = true
    this.#voice.look()
    this.#life.notify((observer) => observer.answered?.())
    this.#hold.notice()
    this.#noteChange()
  }

  #confirmed(sdp: string): void {
    if (!this.audio.confirm(sdp, this.session.origin)) return void this.#giveUp({ by: 'network', cause: 'not_acceptable' })
    this.#hold.notice()
    this.#noteChange()
  }

  async #reoffered(sdp: string | undefined): Promise<OfferReply> {
    if (!(await this.#openAudio())) return { status: 503 }
    const answer = await (sdp === undefined ? this.audio.offer({ everything: true }) : this.audio.answer(sdp, this.session.origin))
    if (answer === undefined) return { status: 488 }
    this.#hold.notice()
    this.#noteChange()
    return { sdp: answer }
  }

  #listeners(request: Request): number {
    const type = request.header('content-type')
    if (type === undefined || request.body.length === 0) return 200
    const digit = digitOfInfo(type, request.body)
    if (digit === undefined) return 415
    this.#key(digit, 'info')
    return 200
  }

  /** A far end on hold is not listened to. */
  #key(digit: string, source: DtmfSource): void {
    if (!this.#hold.ours && this.#keys.takes(digit, source, this.#options.clock.now()))
      this.#life.pressed(digit, { sounded: source === 'in-band' })
  }

  #referred(refer: IncomingRefer): void {
    const ask = this.#life.isObserved('transferAsked')
      ? (transfer: TransferAsked): void => this.#life.notify((observer) => observer.transferAsked?.(transfer))
      : undefined
    takeRefer(refer, { target: this.#options.transferTarget(refer), ask, onFailure: this.#options.onFailure })
  }

  #fellSilent(): void {
    if (this.#voice.matters()) void this.#giveUp({ by: 'network', cause: 'media_timeout' })
  }

  #sessionEnded(end: SessionEnd): void {
    if (!this.answered && isIncompatible(end) && !this.over && this.#options.reconnect) return void this.#tryAnotherOffer(end)
    this.#life.end(legEnd(end, this.answered))
  }

  async #tryAnotherOffer(end: SessionEnd): Promise<void> {
    const session = await this.#options.reconnect?.(this.#sessionObserver()).catch(() => undefined)
    if (!session) this.#life.end(legEnd(end, false))
    else if (this.over) await session.end()
    else this.#session = session
  }

  async #giveUp(end: LegEnd): Promise<void> {
    if (this.#life.end(end)) await this.session.end(farewellOf(end.cause, this.answered))
  }
}
