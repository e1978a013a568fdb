import type { Session } from '@offhook/sip/session/session.ts'
import type { LegAudio } from './leg-audio.ts'

export interface LegHoldOptions {
  audio: LegAudio
  session: () => Session
  over: () => boolean
  /** Nothing new can be offered before our answer is confirmed. */
  confirmed: () => Promise<void> | undefined
  answered: () => boolean
  /** We have put the far end on hold, or taken it back. */
  agreed: () => void
  /** The far end has put us on hold, or taken us back. */
  held: (value: boolean) => void
}

/** Who of the two holds whom. */
export class LegHold {
  readonly #options: LegHoldOptions
  #ours = false
  #theirs = false
  /** One after the other: what is agreed is what was asked for last. */
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

  /** As another process has left it. */
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

  /** Others may hear each other before the caller has confirmed our answer; hold waits for it. */
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

  /** Audio was agreed anew: the far end says with it whether it holds us. */
  notice(): void {
    const held = this.#options.audio.heldByPeer
    if (held === this.#theirs) return
    this.#theirs = held
    this.#options.held(held)
  }
}
