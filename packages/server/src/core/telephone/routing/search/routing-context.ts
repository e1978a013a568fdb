import type { Call, TransferringContext } from '#core/telephone/call/call.ts'
import type { CallGuide } from '#core/kernel/ports/calls.ts'
import type { FaxIntake } from '#core/kernel/ports/messages.ts'
import type { FlowRuntime, Brief } from '#core/kernel/ports/assistant.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import type { Payer } from '#core/money/rates.ts'
import type { Party, Role } from '#core/telephone/call/state/party.ts'
import type { Identities } from '../inbound/request.ts'
import type { Destination } from '../inbound/destination.ts'
import type { Asking } from '../plan/phones.ts'
import type { Plan, DiversionHistory } from '../plan/plan.ts'

/** Dependencies of the call router. */
export interface RoutingContext extends TransferringContext {
  flows: FlowRuntime
  faxes: FaxIntake
  /** Asks the accounts' webhooks how to handle calls. */
  guide: CallGuide
  /** Country of the installation, for carriers' national numbers. */
  country: string
  /** Next member to start with, for round-robin groups. */
  turns: Map<string, number>
  /** `refer`: asks phones that support REFER to call the transfer target themselves. */
  transferBy: 'bridge' | 'refer'
  /** See Replacement. */
  replace: (call: Call, options: ReplacementOptions, aim: () => Promise<DialTarget | Cause>) => Promise<void>
}

/** Destination and parameters of a search. */
export interface DialTarget {
  destination: Destination
  payer: Payer
  asking: Asking
  seenAs: Identities
  diverted: DiversionHistory
  /** Maximum duration in seconds. Default: the maximum wait of a caller. */
  seconds?: number
  /** Plays ringback immediately, because the requesting assistant is silent from now on. */
  ringback?: true
  /** The answering party must accept first; the waiting party hears music instead of ringback. People only. */
  brief?: Brief
  /** Number the waiting party's phone dials itself on REFER; undefined to bridge instead. */
  refer?: string
}

export interface ReplacementOptions {
  /** The transferee: stays, hears ringback, and is connected with the party that answers. */
  waiting: Party
  /** The phone that leaves then; undefined for an assistant. */
  leaving: Party | undefined
  /** Role of the new party. */
  role: Role
  /** Whether a failed attempt counts towards the maximum transfers of a call. Users may retry without limit. */
  failureCounts: boolean
  /** Called each time a phone rings, before ringback is heard. */
  ringing?: () => void
  /** The target answered; `plan` says where. */
  done: (plan: Plan) => void
  /** The transfer failed; the call is unchanged. */
  failed: (cause: Cause) => void
}
