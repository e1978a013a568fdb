import type { Consulting, PendingRequest } from './transfer-request.ts'
import type { Party } from './party.ts'

/** State of a call with the data that belongs to it. */
type Phase =
  | { readonly state: 'dialing' | 'ringing' | 'active' | 'ended' }
  /**
   * `leaving`: phone being replaced; undefined for an assistant. `wished`: pending request of a user. `briefed`: target that has answered and
   * is being briefed.
   */
  | {
      readonly state: 'transferring'
      readonly leaving: Party | undefined
      readonly wished: PendingRequest | undefined
      readonly briefed: Party | undefined
    }
  /** Completion of a consultation: the two remaining parties are being connected. */
  | { readonly state: 'transferring'; readonly consultation: Consulting }
  | { readonly state: 'consulting'; readonly consultation: Consulting }

/** Whether an attempt counts towards the maximum transfers per call. */
interface Counting {
  counts: boolean
}

/** State machine of a call, one method per transition. A transition that is not allowed changes nothing and returns false. */
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

  /** Counted transfers so far. */
  get transfers(): number {
    return this.#transfers
  }

  /** A user's request while the new party is being called. */
  get wished(): PendingRequest | undefined {
    return 'wished' in this.#phase ? this.#phase.wished : undefined
  }

  /** Set while a third party is consulted or being connected with the waiting party. */
  get consultation(): Consulting | undefined {
    return 'consultation' in this.#phase ? this.#phase.consultation : undefined
  }

  /** Transfer target that has answered and is being briefed; the others do not hear the briefing. */
  get briefed(): Party | undefined {
    return 'briefed' in this.#phase ? this.#phase.briefed : undefined
  }

  /** True if the call continues without this party: it requested the transfer and left early, or it is a target that may decline. */
  mayLeave(party: Party): boolean {
    return 'leaving' in this.#phase && (this.#phase.leaving === party || this.#phase.briefed === party)
  }

  /** Restores the state after a takeover, with the transfers so far. */
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

  /** Kept to recognise a repeated request; cleared at the end of the transfer. */
  keepWish(requested: PendingRequest): void {
    if ('leaving' in this.#phase) this.#phase = { ...this.#phase, wished: requested }
  }

  /** Undefined: the briefing is over, or the target has not answered yet. */
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

  /** The requesting party leaves; the two others are to be connected. */
  completeConsultation(consultation: Consulting): boolean {
    return this.consultation === consultation && this.#move('transfer', { state: 'transferring', consultation })
  }

  /** Back to two parties, none of them replaced. */
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

/**
 * `dialing`: no phone rings yet. `ringing`: at least one phone rings. `transferring`: one of two parties is being replaced.
 * `consulting`: one of two parties waits while the other talks with a third.
 */
export type CallState = 'dialing' | 'ringing' | 'active' | 'transferring' | 'consulting' | 'ended'
/** `consulted`: back to two parties, none of them replaced. */
export type CallInput = 'progress' | 'answer' | 'transfer' | 'transferred' | 'transfer_failed' | 'consult' | 'consulted' | 'end'

const moves: Record<CallState, Partial<Record<CallInput, CallState>>> = {
  dialing: { progress: 'ringing', answer: 'active', end: 'ended' },
  ringing: { answer: 'active', end: 'ended' },
  active: { transfer: 'transferring', end: 'ended' },
  transferring: { transferred: 'active', transfer_failed: 'active', consult: 'consulting', end: 'ended' },
  consulting: { transfer: 'transferring', consulted: 'active', end: 'ended' },
  ended: {},
}

/** Undefined when the transition is not allowed. */
export const next = (state: CallState, input: CallInput): CallState | undefined => moves[state][input]
