import type { FaxObserver, FaxResult, FaxToReceive, FaxToSend } from '#core/kernel/ports/fax-transport.ts'
import type { Cause, LegEnd, LegObserver, SavedDialog, FaxLeg } from '#core/kernel/ports/telephony.ts'
import { MediaFull } from '#media/socket/port-pool.ts'
import type { OfferReply, Session, SessionEnd, SessionObserver } from '@offhook/sip/session/session.ts'
import type { SipClock } from '@offhook/sip/transport/transport.ts'
import { farewellOf, isIncompatible, legEnd } from './causes.ts'
import { neverStarted, type FaxMedia } from './fax-media.ts'
import { LegLife } from './leg-life.ts'
import { saveLeg } from './saved-leg.ts'

export interface FaxLegOptions {
  clock: SipClock
  /** Outgoing: open already, because its port is in our offer. */
  media: FaxMedia
  /** Gives the session, which tells this observer everything. */
  connect(observer: SessionObserver): Session
  /** The far end did not like our offer: calls it again with another. */
  reconnect?: (observer: SessionObserver) => Session
  /** Incoming: what the caller offered; undefined when it leaves the offer to us. */
  offer?: { sdp: string | undefined } | undefined
  trunkId?: string | undefined
  /** Something of ours threw. */
  onFailure: (error: unknown) => void
}

/** Gateways have to hear the answering tone to its end before they agree to T.38. */
const answeringToneMs = 3_000

/**
 * A call with a fax machine. It begins as audio unless the caller says T.38 at once; the callee offers T.38, and the fax goes on in audio
 * when that is rejected or never comes. Nothing is sent before the answer, and the side that is through with T.30 hangs up.
 */
export class SipFaxLeg implements FaxLeg {
  readonly #options: FaxLegOptions
  readonly #media: FaxMedia
  readonly #life: LegLife
  /** Resolves at the answer, or at the end. */
  readonly #connected: Promise<void>
  readonly #connect: () => void
  #session: Session
  #another: FaxLegOptions['reconnect']
  #forgetT38: () => void = () => {}

  constructor(options: FaxLegOptions) {
    this.#options = options
    this.#life = new LegLife({ release: () => this.#release(), onFailure: options.onFailure })
    this.#media = options.media
    this.#another = options.reconnect
    const connected = Promise.withResolvers<void>()
    this.#connected = connected.promise
    this.#connect = connected.resolve
    this.#session = options.connect(this.#sessionObserver())
  }

  get id(): string {
    return this.#life.id
  }

  get ended(): Promise<LegEnd> {
    return this.#life.ended
  }

  get answered(): boolean {
    return this.#life.answered
  }

  observe(observer: LegObserver): () => void {
    return this.#life.observe(observer)
  }

  async hangUp(cause: Cause): Promise<void> {
    await this.#giveUp({ by: 'us', cause })
  }

  dialog(): SavedDialog | undefined {
    return this.#life.over ? undefined : saveLeg({ trace: this.#session.trace, trunkId: this.#options.trunkId })
  }

  async send(fax: FaxToSend, observer: FaxObserver = {}): Promise<FaxResult> {
    await this.#connected
    return this.#run(() => this.#media.send(fax, observer))
  }

  async receive(fax: FaxToReceive, observer: FaxObserver = {}): Promise<FaxResult> {
    await this.#answer()
    return this.#run(() => this.#media.receive(fax, observer))
  }

  async #run(work: () => Promise<FaxResult>): Promise<FaxResult> {
    if (this.#life.over) return neverStarted
    const result = await work()
    void this.#giveUp({ by: 'us', cause: result.code === undefined ? 'failed' : 'normal' })
    return result
  }

  async #answer(): Promise<void> {
    const { offer } = this.#options
    if (!offer) return this.#connected
    if (this.#life.over || !(await this.#open())) return
    const sdp = offer.sdp === undefined ? this.#media.offer('audio') : this.#media.answer(offer.sdp, this.#session.origin)
    if (sdp === undefined) return this.#giveUp({ by: 'us', cause: 'not_acceptable' })
    this.#life.answered = await this.#session.accept({ sdp })
    this.#connect()
    if (!this.#life.over) this.#forgetT38 = this.#options.clock.after(answeringToneMs, () => void this.#offerT38())
  }

  /** What is refused leaves everything as it was: the audio has not stopped meanwhile. */
  async #offerT38(): Promise<void> {
    if (this.#media.settled || this.#media.by === 't38') return
    const { status, sdp } = await this.#session.offer(this.#media.offer('t38'))
    if (this.#life.over || status >= 300 || sdp === undefined || this.#media.confirm(sdp, this.#session.origin)) return
    await this.#offerAudioAgain()
  }

  /** They agreed to the change and refused its only line: now there is nothing that carries the fax. */
  async #offerAudioAgain(): Promise<void> {
    const { sdp } = await this.#session.offer(this.#media.offer('audio'))
    if (sdp === undefined || !this.#media.confirm(sdp, this.#session.origin)) await this.#giveUp({ by: 'network', cause: 'not_acceptable' })
  }

  async #open(): Promise<boolean> {
    try {
      await this.#media.open(this.#session.direction === 'outgoing')
    } catch (error) {
      if (!(error instanceof MediaFull)) this.#options.onFailure(error)
      await this.#giveUp({ by: 'us', cause: 'overloaded' })
    }
    return !this.#life.over
  }

  #sessionObserver(): SessionObserver {
    return {
      progress: ({ status, sdp }) => this.#progressed(status, sdp),
      answered: (sdp) => this.#wasAnswered(sdp),
      offered: (sdp) => this.#reoffered(sdp),
      acknowledged: (sdp) => this.#confirmed(sdp),
      refreshed: (sdp) => this.#confirmed(sdp),
      moved: () => this.#life.notify((observer) => observer.changed?.()),
      ended: (end) => this.#sessionEnded(end),
    }
  }

  #progressed(status: number, sdp: string | undefined): void {
    if (status === 180) this.#life.notify((observer) => observer.ringing?.())
    if (sdp !== undefined && this.#media.confirm(sdp, this.#session.origin)) this.#life.notify((observer) => observer.earlyAudio?.())
  }

  #wasAnswered(sdp: string | undefined): void {
    if (sdp !== undefined) this.#confirmed(sdp)
    if (this.#life.over) return
    this.#life.answered = true
    this.#life.notify((observer) => observer.answered?.())
    this.#connect()
  }

  #confirmed(sdp: string): void {
    if (!this.#media.confirm(sdp, this.#session.origin)) void this.#giveUp({ by: 'network', cause: 'not_acceptable' })
  }

  /** T.38 or audio, as the far end wants; without a description it asks for what there is. */
  async #reoffered(sdp: string | undefined): Promise<OfferReply> {
    if (!(await this.#open())) return { status: 503 }
    const answer = sdp === undefined ? this.#media.offer(this.#media.by ?? 'audio') : this.#media.answer(sdp, this.#session.origin)
    return answer === undefined ? { status: 488 } : { sdp: answer }
  }

  #sessionEnded(end: SessionEnd): void {
    const another = this.#another
    this.#another = undefined
    if (another && this.#life.pending && isIncompatible(end)) this.#session = another(this.#sessionObserver())
    else this.#life.end(legEnd(end, this.answered))
  }

  async #giveUp(end: LegEnd): Promise<void> {
    if (this.#life.end(end)) await this.#session.end(farewellOf(end.cause, this.answered))
  }

  async #release(): Promise<void> {
    this.#forgetT38()
    this.#connect()
    await this.#media.close()
  }
}
