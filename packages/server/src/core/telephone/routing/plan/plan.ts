import type { RejectionCause } from '#core/telephone/call/state/call-details.ts'
import type { Meter } from '#core/telephone/call/money/meter.ts'
import type { Payer } from '#core/money/rates.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Cause, PretendedNumbers, PromptName } from '#core/kernel/ports/telephony.ts'

/** Something that can be rung. */
export type Phone =
  | { kind: 'device'; accountId: string; deviceId: string; userId: string }
  /** In another network, at the account's cost. `held`: the money is reserved already, and settled by the one that reserved it. */
  | { kind: 'outside'; payer: Payer; e164: string; device?: OutsideDevice; held?: Meter }
  | { kind: 'emergency'; dialled: string }

/** An account's phone that is in another network. */
export interface OutsideDevice {
  deviceId: string
  userId: string
  /** Sees the number that was called instead of the caller's. */
  showsCalled: boolean
}

/** A step is left when its time is over or when it is clear that it will not take the call. */
export type Step =
  | { kind: 'ring'; phones: readonly Phone[]; seconds: number; ifNone: Cause }
  /** To E.164 or to an extension of the account. `ordered`: the account's software said so, and hears how it goes on. */
  | { kind: 'forward'; to: string; seconds: number; ordered?: true }
  | { kind: 'voicemail'; voicemailId: string }
  | { kind: 'fax'; faxlineId: string }
  | { kind: 'flow'; flowId: string; draft?: boolean; pretends?: PretendedNumbers }
  /** Heard before the call is answered, which it is not. */
  | { kind: 'announce'; prompt: PromptName }
  /** Callers hear their own messages. */
  | { kind: 'messages' }
  | { kind: 'reject'; cause: RejectionCause }

/** What is done for a caller, one step after the other. */
export interface Plan {
  /** The extension of an account that the call is for; none for numbers outside. */
  place: Place | undefined
  /** The number, or the extension if no number leads there. */
  called: string
  steps: readonly Step[]
  /** The rule that made these steps. */
  routed?: RoutingNote
  /** What is done when none of the steps takes the call. */
  overflow?: PlannedOverflow
}

/** Why a rule did something, for the timeline. */
export type RoutingNote = Omit<TimelineEntryOf<'routing'>, 'callId' | 'sequence' | 'at' | 'flowId' | 'kind' | 'explanation'>

export interface PlannedOverflow {
  /** For so long the steps are tried; undefined: for as long as they take. */
  seconds: number | undefined
  by: Partial<Record<'NO_ANSWER' | 'BUSY' | 'UNREACHABLE', { step: Step; routed: RoutingNote }>>
  /** What follows it, if there is one. */
  voicemail: readonly Step[]
}

export interface Place {
  accountId: string
  /** A phone line, group, device, … or the id of a flow. */
  extension: string
  alias: string
  userId: string | undefined
}

/** How a call came to where it is now (Diversion, hop count). */
export interface DiversionHistory {
  /** The latest first. */
  diversions: readonly string[]
  hops: number
}

/** `taken`: the call has a taker now. Otherwise why it was not taken. */
export type Outcome = 'taken' | Cause

/** How long one extension rings unless its settings say otherwise. */
export const ringSeconds = 60
/** How long a transfer target rings: a party that talked already does not want to wait as long as a caller. */
export const transferSeconds = 30
/** How long a caller waits for an answer, wherever the call is forwarded to. */
export const maxWaitSeconds = 180
/** How often a call may be forwarded. */
export const maxHops = 5
/** How often a call may be transferred. */
export const maxTransfers = 3
