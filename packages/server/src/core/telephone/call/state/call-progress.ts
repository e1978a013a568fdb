import { next, type CallInput, type CallState } from './call-machine.ts'
import type { Consulting, PendingRequest } from './transfer-wish.ts'
import type { Party } from './party.ts'

/** How far a call is, with what is known only then. */
type Phase =
  | { readonly state: 'dialing' | 'ringing' | 'active' | 'ended' }
  /**
   * `leaving`: the phone that is being replaced; undefined when it is an assistant. `wished`: a user asked for it. `briefed`: answered, and
   * hears first what it is about.
   */
  | {
      readonly state: 'transferring'
      readonly leaving: Party | undefined
      readonly wished: PendingRequest | undefined
      readonly briefed: Party | undefined
    }
  /** The two whom a consultation has brought together are being connected. */
  | { readonly state: 'transferring'; readonly consultation: Consulting }
  | { readonly state: 'consulting'; readonly consultation: Consulting }

/** Whether an attempt counts towards the most transfers that one call may have. */
interface Counting {
  counts: boolean
}

/** What a call goes through, one method for each move. A move that is not possible now changes nothing and gives false. */
export class CallProgress {
  #phase: Phase = { state: 'dialing' }
  #transfers = 0
  readonly #moved: (input: CallInput) => void

  constructor(moved: (input: CallInput) => void) {
    this.#moved = moved
  }

  get state(): CallState {
    return this.#phase.state
  }

  /** How many transfers count so far. */
  get transfers(): number {
    return this.#transfers
  }

  /** What a user asked for while the new party is being called. */
  get wished(): PendingRequest | undefined {
    return 'wished' in this.#phase ? this.#phase.wished : undefined
  }

  /** A third party is asked, or is being connected with the party that waited. */
  get consultation(): Consulting | undefined {
    return 'consultation' in this.#phase ? this.#phase.consultation : undefined
  }

  /** Answered, and hears first what it is about; nobody else hears it. */
  get briefed(): Party | undefined {
    return 'briefed' in this.#phase ? this.#phase.briefed : undefined
  }

  /** Whether the call goes on without this party: it asked to be replaced, and does not wait for whether that works, or it need not accept. */
  mayLeave(party: Party): boolean {
    return 'leaving' in this.#phase && (this.#phase.leaving === party || this.#phase.briefed === party)
  }

  /** A call that another process had, after this many transfers. */
  resume(transfers: number): void {
    this.#phase = { state: 'active' }
    this.#transfers = transfers
  }

  ring(): boolean {
    return this.#move('progress', { state: 'ringing' })
  }

  answer(): boolean {
    return this.#move('answer', { state: 'active' })
  }

  beginTransfer(leaving: Party | undefined): boolean {
    return this.#move('transfer', { state: 'transferring', leaving, wished: undefined, briefed: undefined })
  }

  /** For the same request again; forgotten with the transfer. */
  keepWish(requested: PendingRequest): void {
    if ('leaving' in this.#phase) this.#phase = { ...this.#phase, wished: requested }
  }

  /** Undefined: it is over, or nobody has answered yet. */
  brief(briefed: Party | undefined): void {
    if ('leaving' in this.#phase) this.#phase = { ...this.#phase, briefed }
  }

  transferred({ counts }: Counting): boolean {
    if (counts) this.#transfers += 1
    return this.#move('transferred', { state: 'active' })
  }

  transferFailed({ counts }: Counting): boolean {
    if (counts) this.#transfers += 1
    return this.#move('transfer_failed', { state: 'active' })
  }

  consult(consultation: Consulting): boolean {
    return this.#move('consult', { state: 'consulting', consultation })
  }

  /** The party that asked leaves, and the two others are to be connected. */
  completeConsultation(consultation: Consulting): boolean {
    return this.consultation === consultation && this.#move('transfer', { state: 'transferring', consultation })
  }

  /** There are two again, and none of them was replaced. */
  endConsultation(consultation: Consulting): boolean {
    return this.consultation === consultation && this.#move('consulted', { state: 'active' })
  }

  end(): boolean {
    return this.#move('end', { state: 'ended' })
  }

  #move(input: CallInput, phase: Phase): boolean {
    if (next(this.#phase.state, input) !== phase.state) return false
    this.#phase = phase
    this.#moved(input)
    return true
  }
}
