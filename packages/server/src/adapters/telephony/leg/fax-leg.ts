import type { FaxObserver, FaxResult, FaxToReceive, FaxToSend } from '#core/kernel/ports/messages.ts'
import type { SavedDialog, FaxLeg } from '#core/kernel/ports/telephony.ts'
import { MediaFull } from '#media/socket/port-pool.ts'
import type { OfferReply, Session, SessionEnd, SessionObserver } from '@offhook/sip/session/session.ts'
import type { SipClock } from '@offhook/sip/transport/transport.ts'
import { SessionLeg } from './base-leg.ts'
import { isIncompatible, legEnd } from './causes.ts'
import { neverStarted, type FaxMedia } from './fax-media.ts'
import { saveLeg } from './saved-leg.ts'

export interface FaxLegOptions {
  clock: SipClock
  /** Outgoing: already open, because its port is in our offer. */
  media: FaxMedia
  /** Returns the session, which notifies this observer. */
  connect(observer: SessionObserver): Session
  /** The far end rejected our offer: calls it again with another. */
  reconnect?: (observer: SessionObserver) => Session
  /** Incoming: the caller's offer; undefined when it leaves the offer to us. */
  offer?: { sdp: string | undefined } | undefined
  trunkId?: string | undefined
  /** Called on an internal error. */
  onFailure: (error: unknown) => void
}

/** Gateways need the complete answering tone before they accept T.38. */
const answeringToneMs = 3_000

/**
 * A call with a fax machine. It starts as audio unless the caller offers T.38; the callee offers T.38, and the fax stays in audio if that
 * is rejected or never comes. No pages are sent before the answer, and the side that completes T.30 hangs up.
 */
export class SipFaxLeg extends SessionLeg implements FaxLeg {
  readonly #options: FaxLegOptions
  readonly #media: FaxMedia
  /** Resolves at the answer, or at the end. */
  readonly #connected: Promise<void>
  readonly #connect: () => void
  #session: Session
  #another: FaxLegOptions['reconnect']
  #forgetT38: () => void = () => {}

  constructor(options: FaxLegOptions) {
    super({ release: () => this.#release(), onFailure: options.onFailure })
    this.#options = options
    this.#media = options.media
    this.#another = options.reconnect
    const connected = Promise.withResolvers<void>()
    this.#connected = connected.promise
    this.#connect = connected.resolve
    this.#session = options.connect(this.#sessionObserver())
  }

  get session(): Session {
    return this.#session
  }

  protected confirm(sdp: string): boolean {
    return this.#media.confirm(sdp, this.#session.origin)
  }

  dialog(): SavedDialog | undefined {
    return this.life.over ? undefined : saveLeg({ trace: this.#session.trace, trunkId: this.#options.trunkId })
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
    if (this.life.over) return neverStarted
    const result = await work()
    void this.giveUp({ by: 'us', cause: result.code === undefined ? 'failed' : 'normal' })
    return result
  }

  async #answer(): Promise<void> {
    const { offer } = this.#options
    if (!offer) return this.#connected
    if (this.life.over || !(await this.#open())) return
    const sdp = offer.sdp === undefined ? this.#media.offer('audio') : this.#media.answer(offer.sdp, this.#session.origin)
    if (sdp === undefined) return this.giveUp({ by: 'us', cause: 'not_acceptable' })
    this.life.answered = await this.#session.accept({ sdp })
    this.#connect()
    if (!this.life.over) this.#forgetT38 = this.#options.clock.after(answeringToneMs, () => void this.#offerT38())
  }

  /** A rejection changes no state: the audio has not stopped in the meantime. */
  async #offerT38(): Promise<void> {
    if (this.#media.settled || this.#media.by === 't38') return
    const { status, sdp } = await this.#session.offer(this.#media.offer('t38'))
    if (this.life.over || status >= 300 || sdp === undefined || this.confirm(sdp)) return
    await this.#offerAudioAgain()
  }

  /** They accepted the change but rejected its only line: there is no transport for the fax. */
  async #offerAudioAgain(): Promise<void> {
    const { sdp } = await this.#session.offer(this.#media.offer('audio'))
    if (sdp === undefined || !this.confirm(sdp)) await this.giveUp({ by: 'network', cause: 'not_acceptable' })
  }

  async #open(): Promise<boolean> {
    try {
      await this.#media.open(this.#session.direction === 'outgoing')
    } catch (error) {
      if (!(error instanceof MediaFull)) this.#options.onFailure(error)
      await this.giveUp({ by: 'us', cause: 'overloaded' })
    }
    return !this.life.over
  }

  #sessionObserver(): SessionObserver {
    return {
      progress: ({ status, sdp }) => this.progressed(status, sdp),
      answered: (sdp) => this.#wasAnswered(sdp),
      offered: (sdp) => this.#reoffered(sdp),
      acknowledged: (sdp) => void this.accepts(sdp),
      refreshed: (sdp) => void this.accepts(sdp),
      moved: () => this.life.notify((observer) => observer.changed?.()),
      ended: (end) => this.#sessionEnded(end),
    }
  }

  #wasAnswered(sdp: string | undefined): void {
    if (sdp !== undefined) this.accepts(sdp)
    if (this.life.over) return
    this.life.answered = true
    this.life.notify((observer) => observer.answered?.())
    this.#connect()
  }

  /** Answers with T.38 or audio, as offered; an empty offer gets the current transport. */
  async #reoffered(sdp: string | undefined): Promise<OfferReply> {
    if (!(await this.#open())) return { status: 503 }
    const answer = sdp === undefined ? this.#media.offer(this.#media.by ?? 'audio') : this.#media.answer(sdp, this.#session.origin)
    return answer === undefined ? { status: 488 } : { sdp: answer }
  }

  #sessionEnded(end: SessionEnd): void {
    const another = this.#another
    this.#another = undefined
    if (another && this.life.pending && isIncompatible(end)) this.#session = another(this.#sessionObserver())
    else this.life.end(legEnd(end, this.answered))
  }

  async #release(): Promise<void> {
    this.#forgetT38()
    this.#connect()
    await this.#media.close()
  }
}
