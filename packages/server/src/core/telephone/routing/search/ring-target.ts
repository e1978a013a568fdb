import type { Payer } from '#core/money/rates.ts'
import type { Brief } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import type { Party, Role } from '#core/telephone/call/state/party.ts'
import type { Identities } from '../inbound/caller-identity.ts'
import type { Destination } from '../inbound/destination.ts'
import type { Asking } from '../plan/phones.ts'
import type { Plan, DiversionHistory } from '../plan/plan.ts'

/** Who is to be found, and how. */
export interface DialTarget {
  destination: Destination
  payer: Payer
  asking: Asking
  seenAs: Identities
  diverted: DiversionHistory
  /** How long the search goes on; as long as any caller waits when missing. */
  seconds?: number
  /** Heard at once, because the assistant that asked is not to be heard any more. */
  ringback?: true
  /** Who answers has to accept first, and the waiting party hears music instead of ringing. Only people can. */
  brief?: Brief
  /** What the phone of the waiting party dials if it is asked to call there itself; missing when it is not to be. */
  refer?: string
}

export interface ReplacementOptions {
  /** The transferee: stays, hears the ringing, and is connected with the party that answers. */
  waiting: Party
  /** The phone that leaves then; none when an assistant does. */
  leaving: Party | undefined
  /** Whose place the new party gets. */
  role: Role
  /** Whether an attempt that fails counts towards the most transfers of a call. A user may try as often as they want. */
  failureCounts: boolean
  /** A phone rings; comes before that is heard, every time. */
  ringing?: () => void
  /** The call was taken: `plan` says where that was. */
  done: (plan: Plan) => void
  /** It was not: everything is as it was. */
  failed: (cause: Cause) => void
}
