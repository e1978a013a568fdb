import type { Session } from '@offhook/sip/session/session.ts'
import type { LegAudio } from './leg-audio.ts'
import type { SipClock } from '@offhook/sip/transport/transport.ts'
import type { OfferOptions } from '../sdp/media-session.ts'

interface LegHoldOptions {
  audio: LegAudio
  session: () => Session
  over: () => boolean
  /** No offer is possible before our answer is confirmed. */
  confirmed: () => Promise<void> | undefined
  answered: () => boolean
  /** We have held or resumed the far end. */
  agreed: () => void
  /** The far end has held or resumed us. */
  held: (value: boolean) => void
}

/** Hold state of both sides. */
export class LegHold {
  readonly #options: LegHoldOptions
  #ours = false
  #theirs = false
  /** One after the other: the last request wins. */
  #turn: Promise<void> = Promise.resolve()

  constructor(options: LegHoldOptions) {
    this.#options = options
  }

  /** We hold the far end. */
  get ours(): boolean {
    return this.#ours
  }

  /** The far end holds us. */
  get theirs(): boolean {
    return this.#theirs
  }

  /** State of another node. */
  resumeCall({ ours, theirs }: { ours: boolean; theirs: boolean }): void {
    this.#ours = ours
    this.#theirs = theirs
    this.#options.audio.holding = ours
  }

  set(value: boolean): Promise<void> {
    const turn = this.#turn.then(() => this.#set(value))
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** Bridging may precede the ACK of our answer; hold waits for it. */
  async #set(value: boolean): Promise<void> {
    const { audio, over, session, answered, confirmed } = this.#options
    await confirmed()
    if (over() || value === this.#ours) return
    if (!answered()) throw new Error('a leg that has not answered cannot be put on hold')
    audio.holding = value
    const { status, sdp } = await session().offer(await audio.offer())
    if (over()) return
    if (status >= 300 || sdp === undefined || !audio.confirm(sdp, session().origin)) {
      audio.holding = !value
      throw new Error(`the far end did not agree to be ${value ? 'put on hold' : 'taken back'} (${status})`)
    }
    this.#ours = value
    audio.playHoldMusic(value)
    this.#options.agreed()
  }

  /** Audio was renegotiated: it shows whether the far end holds us. */
  notice(): void {
    const held = this.#options.audio.heldByPeer
    if (held === this.#theirs) return
    this.#theirs = held
    this.#options.held(held)
  }
}

/** Milliseconds for a far end to accept the takeover of its call. */
const timeoutMs = 10_000

const incompatible = new Set([415, 488, 606])

interface Offered {
  status: number
  sdp: string | undefined
}

/**
 * Offers our audio to the far end of a call taken over from another node: the agreed formats; if it rejects those, all that we support.
 * Gives up on a silent far end.
 */
export const offerAgain = async (clock: SipClock, session: Session, audio: LegAudio): Promise<Offered> => {
  const { promise: tooLate, resolve } = Promise.withResolvers<Offered>()
  const cancel = clock.after(timeoutMs, () => resolve({ status: 408, sdp: undefined }))
  const offer = async (options?: OfferOptions): Promise<Offered> => Promise.race([tooLate, session.offer(await audio.offer(options))])
  const first = await offer()
  const result = incompatible.has(first.status) ? await offer({ everything: true }) : first
  cancel()
  return result
}

/** Decides whether missing audio of a far end is a fault: on hold and before the answer none is expected. */
export class ExpectedVoice {
  readonly #audio: LegAudio
  readonly #answered: () => boolean
  #silentSoFar = false

  constructor(audio: LegAudio, answered: () => boolean) {
    this.#audio = audio
    this.#answered = answered
  }

  /** The far end became inaudible, or audible again. False if it does not matter now; then it is rechecked later. */
  matters(): boolean {
    if (this.#expected) return true
    this.#silentSoFar = true
    return false
  }

  /** The leg was answered, or hold has changed. */
  look(): void {
    if (!this.#silentSoFar || !this.#expected) return
    this.#silentSoFar = false
    this.#audio.expectAnew()
  }

  get #expected(): boolean {
    return this.#answered() && !this.#audio.paused
  }
}
