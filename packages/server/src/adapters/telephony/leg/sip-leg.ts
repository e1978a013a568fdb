import type { Leg, LegEnd, LegObserver, NotResumed, SavedDialog, TransferAsked, FaxLeg } from '#core/kernel/ports/telephony.ts'
import type { LegQuality } from '#core/kernel/ports/audio.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { IncomingRefer, OfferReply, Session, SessionEnd, SessionObserver } from '@offhook/sip/session/session.ts'
import type { SipClock } from '@offhook/sip/transport/transport.ts'
import { SessionLeg } from './base-leg.ts'
import { isIncompatible, legEnd } from './causes.ts'
import { digitOfInfo, DtmfMerge, type DtmfSource } from './dtmf.ts'
import { ExpectedVoice, LegHold, offerAgain } from './leg-hold.ts'
import type { LegAudio } from './leg-audio.ts'
import { legQuality } from './leg-quality.ts'
import { askToCall, replacesUri, takeRefer, type TransferTarget } from './leg-refer.ts'
import { LegNotes, type StoredLeg, type ResumableLeg } from './saved-leg.ts'

export interface LegOptions {
  clock: SipClock
  audio: LegAudio
  /** Returns the session, which notifies this observer. */
  connect(observer: SessionObserver): Session
  /** The far end rejected our offer: calls it again with another; undefined if there is no other. */
  reconnect?(observer: SessionObserver): Promise<Session | undefined>
  /** Whether another offer may succeed; default: by the status. */
  mayReconnect?(end: SessionEnd): boolean
  /** Incoming: the caller's offer; undefined when it leaves the offer to us. */
  offer?: { sdp: string | undefined }
  /** Number or Replaces of a REFER. */
  transferTarget(refer: IncomingRefer): TransferTarget | undefined
  /** The trunk of the call, whose credentials are used in it. */
  trunkId?: string | undefined
  /** State stored by another node. */
  resumed?: ResumableLeg
  /** URI of a number that we ask the far end to call. */
  referUri(dialled: string): string
  /** Incoming: gives the call to a fax machine. */
  fax?(): FaxLeg
  /** Incoming: the caller offers only T.38; no telephone rings for that. */
  faxOnly?: boolean
  /** One of our observers threw. */
  onFailure: (error: unknown) => void
}

/** A call with one phone, over SIP and RTP. */
export class SipLeg extends SessionLeg implements Leg {
  readonly audio: LegAudio
  /** Remaining Max-Forwards of an inbound call: ends loops through other networks. */
  forwardsLeft = 70
  #session: Session
  readonly #options: LegOptions
  readonly #keys = new DtmfMerge()
  #answering: Promise<string | undefined> | undefined
  #accepting: Promise<void> | undefined
  readonly #hold: LegHold
  readonly #voice: ExpectedVoice
  readonly #notes = new LegNotes(() => this.#kept())
  #abandoned = false
  readonly #quality = Promise.withResolvers<LegQuality | undefined>()

  constructor(options: LegOptions) {
    const { resumed, onFailure } = options
    super({
      id: resumed?.legId,
      // A stream that was never open, or got lost, reports no quality.
      release: () => this.audio.close({ silently: this.#abandoned }).finally(() => this.#quality.resolve(undefined)),
      onFailure,
    })
    this.#options = options
    this.audio = options.audio
    this.#voice = new ExpectedVoice(this.audio, () => this.answered)
    this.#hold = this.#openHold()
    if (resumed) this.#resume(resumed)
    this.audio.observe({
      dtmf: (digit, source) => this.#key(digit, source),
      sound: (state) => this.#voice.matters() && this.life.notify((observer) => observer.sound?.(state)),
      silent: () => this.#fellSilent(),
      ended: (quality) => this.#quality.resolve(this.#abandoned ? undefined : legQuality(quality)),
      broken: () => void this.giveUp({ by: 'network', cause: 'media_timeout' }),
      lost: () => void this.giveUp({ by: 'us', cause: 'failed' }),
      changed: () => this.#noteChange(),
    })
    this.#session = options.connect(this.#sessionObserver())
  }

  get quality(): Promise<LegQuality | undefined> {
    return this.#quality.promise
  }

  get session(): Session {
    return this.#session
  }

  get heldByPeer(): boolean {
    return this.#hold.theirs
  }

  protected confirm(sdp: string): boolean {
    return this.audio.confirm(sdp, this.session.origin)
  }

  get trunkId(): string | undefined {
    return this.#options.trunkId
  }

  get codec(): string | undefined {
    return this.audio.codec
  }

  override observe(observer: LegObserver): () => void {
    const stop = super.observe(observer)
    if (!observer.dtmf) return stop
    this.audio.wantKeys(true)
    return () => {
      stop()
      this.audio.wantKeys(this.life.isObserved('dtmf'))
    }
  }

  ring(): void {
    if (this.#options.faxOnly) return void this.giveUp({ by: 'us', cause: 'not_acceptable' })
    if (this.life.pending) void this.session.progress(180)
  }

  proceed(): void {
    if (this.life.pending && !this.#answering) void this.session.progress(183)
  }

  async openEarly(): Promise<void> {
    if (!this.life.pending || this.#answering) return
    const sdp = await this.#answerOffer()
    if (sdp !== undefined) await this.session.progress(183, { sdp })
  }

  /** A second call returns the same promise. */
  answer(): Promise<void> {
    return (this.#accepting ??= this.#accept())
  }

  async #accept(): Promise<void> {
    if (!this.life.pending) return
    const offered = this.#options.offer?.sdp !== undefined
    const sdp = await (offered ? this.#answerOffer() : this.#offerLate())
    if (sdp === undefined || this.over) return
    this.life.answered = await this.session.accept({ sdp })
    this.#voice.look()
    this.#noteChange()
  }

  #resume({ holding = false, muted = false, forwardsLeft, media }: ResumableLeg): void {
    this.life.answered = true
    this.#hold.resumeCall({ ours: holding, theirs: !media.settings.send })
    this.audio.mute(muted)
    if (forwardsLeft !== undefined) this.forwardsLeft = forwardsLeft
  }

  /** Moves the far end's audio here. Undefined on success; otherwise the leg has ended. */
  async resume(near: LegAudio | undefined, agreed: () => Promise<void>): Promise<NotResumed | undefined> {
    try {
      await near?.open()
      await this.audio.open(near)
    } catch {
      this.abandon()
      return 'full'
    }
    const { status, sdp } = await offerAgain(this.#options.clock, this.session, this.audio)
    if (this.over) return hasHungUp(await this.ended) ? 'hung_up' : 'gone'
    if (sdp !== undefined) await agreed().catch(this.#options.onFailure)
    if (!this.over && sdp !== undefined && this.confirm(sdp)) {
      this.#hold.notice()
      if (this.#hold.ours) this.audio.playHoldMusic(true)
      return undefined
    }
    // Does not wait for a far end that may be gone: the other party of the call must be notified immediately.
    this.giveUp({ by: 'us', cause: 'failed' }).catch(this.#options.onFailure)
    return status === 408 || status === 503 ? 'gone' : 'refused'
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
        this.life.notify((observer) => observer.held?.(value))
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
    if (this.#notes.outdated) this.life.notify((observer) => observer.changed?.())
  }

  abandon(): void {
    this.#abandoned = true
    this.life.end({ by: 'us', cause: 'normal' })
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
    void leg.ended.then((end) => this.life.end(end))
    return leg
  }

  #uriReplacing(leg: Leg): string {
    if (!(leg instanceof SipLeg)) throw new Error('not a leg of ours')
    return replacesUri(this.#options.referUri('seat'), leg.session)
  }

  /** Undefined if this ended the call. */
  #answerOffer(): Promise<string | undefined> {
    return (this.#answering ??= this.#makeAnswer())
  }

  async #makeAnswer(): Promise<string | undefined> {
    const offer = this.#options.offer
    if (offer?.sdp === undefined || !(await this.#openAudio())) return undefined
    const answer = await this.audio.answer(offer.sdp, this.session.origin)
    if (answer === undefined) await this.giveUp({ by: 'us', cause: 'not_acceptable' })
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
      await this.giveUp({ by: 'us', cause: 'overloaded' })
    }
    return !this.over
  }

  #sessionObserver(): SessionObserver {
    return {
      progress: ({ status, sdp }) => this.progressed(status, sdp),
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

  #wasAnswered(sdp: string | undefined): void {
    if (sdp !== undefined && !this.accepts(sdp)) return
    this.life.answered = true
    this.#voice.look()
    this.life.notify((observer) => observer.answered?.())
    this.#hold.notice()
    this.#noteChange()
  }

  #confirmed(sdp: string): void {
    if (!this.accepts(sdp)) return
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

  /** Ignores the keys of a far end on hold. */
  #key(digit: string, source: DtmfSource): void {
    if (!this.#hold.ours && this.#keys.takes(digit, source, this.#options.clock.now()))
      this.life.pressed(digit, { sounded: source === 'in-band' })
  }

  #referred(refer: IncomingRefer): void {
    const ask = this.life.isObserved('transferAsked')
      ? (transfer: TransferAsked): void => this.life.notify((observer) => observer.transferAsked?.(transfer))
      : undefined
    takeRefer(refer, { target: this.#options.transferTarget(refer), ask, onFailure: this.#options.onFailure })
  }

  #fellSilent(): void {
    if (this.#voice.matters()) void this.giveUp({ by: 'network', cause: 'media_timeout' })
  }

  #sessionEnded(end: SessionEnd): void {
    const mayLikeAnother = this.#options.mayReconnect?.(end) ?? isIncompatible(end)
    if (!this.answered && mayLikeAnother && !this.over && this.#options.reconnect) return void this.#tryAnotherOffer(end)
    this.life.end(legEnd(end, this.answered))
  }

  async #tryAnotherOffer(end: SessionEnd): Promise<void> {
    const session = await this.#options.reconnect?.(this.#sessionObserver()).catch(() => undefined)
    if (!session) this.life.end(legEnd(end, false))
    else if (this.over) await session.end()
    else this.#session = session
  }
}

/** RFC 3261 §12.2.1.2: a phone without the dialog answers 481. */
const hasHungUp = ({ by, status }: LegEnd): boolean => by === 'peer' || status === 481
