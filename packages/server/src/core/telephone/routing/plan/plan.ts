import type { RejectionCause } from '#core/telephone/call/state/call-details.ts'
import type { Meter } from '#core/telephone/call/money/meter.ts'
import type { Payer } from '#core/money/rates.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Cause, CivicAddress, PretendedNumbers, LegEnd, Telephony } from '#core/kernel/ports/telephony.ts'
import type { PromptName } from '#core/kernel/ports/audio.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Trunk } from '#core/kernel/ports/store/operate.ts'

export type Phone =
  | { kind: 'device'; accountId: string; deviceId: string; userId: string }
  /** External, at the account's cost: E.164, or a short number of the payer's country. `held`: already reserved, and settled by the owner of the reservation. */
  | { kind: 'outside'; payer: Payer; e164: string; device?: OutsideDevice; held?: Meter }
  | { kind: 'emergency'; dialled: string; location?: CivicAddress }

/** An account's phone in an external network. */
interface OutsideDevice {
  deviceId: string
  userId: string
  /** Shows the called number instead of the caller's. */
  showsCalled: boolean
}

/** A step ends at its timeout or as soon as it cannot answer. */
export type Step =
  | { kind: 'ring'; phones: readonly Phone[]; seconds: number; ifNone: Cause }
  /** To E.164 or an extension of the account. `ordered`: decided by the webhook, which stays informed. */
  | { kind: 'forward'; to: string; seconds: number; ordered?: true }
  | { kind: 'voicemail'; voicemailId: string }
  | { kind: 'fax'; faxlineId: string }
  | { kind: 'flow'; flowId: string; draft?: boolean; pretends?: PretendedNumbers }
  /** Played as early media; the call stays unanswered. */
  | { kind: 'announce'; prompt: PromptName }
  /** Plays the caller's own messages. */
  | { kind: 'messages' }
  | { kind: 'reject'; cause: RejectionCause }

/** Routing plan of a call: steps in order. */
export interface Plan {
  /** Extension the call is for; undefined for external numbers. */
  place: Place | undefined
  /** Number, or extension without a number. */
  called: string
  steps: readonly Step[]
  /** The rule that produced these steps. */
  routed?: RoutingNote
  /** Action when no step answers the call. */
  overflow?: PlannedOverflow
}

/** Reason for a rule's effect, for the timeline. */
export type RoutingNote = Omit<TimelineEntryOf<'routing'>, 'callId' | 'sequence' | 'at' | 'flowId' | 'kind' | 'explanation'>

export interface PlannedOverflow {
  /** Seconds the steps are tried; undefined: no limit. */
  seconds: number | undefined
  by: Partial<Record<'NO_ANSWER' | 'BUSY' | 'UNREACHABLE', { step: Step; routed: RoutingNote }>>
  /** Voicemail after the overflow, if any. */
  voicemail: readonly Step[]
}

export interface Place {
  accountId: string
  /** Phone line, group, device, … or flow id. */
  extension: string
  alias: string
  userId: string | undefined
}

/** How the call was diverted so far (Diversion, hop count). */
export interface DiversionHistory {
  /** Latest first. */
  diversions: readonly string[]
  hops: number
}

/** `taken`: the call was answered. Otherwise the cause. */
export type Outcome = 'taken' | Cause

/** Default ring time of an extension, in seconds. */
export const ringSeconds = 60
/** Ring time of a transfer target: a connected party should not wait as long as a caller. */
export const transferSeconds = 30
/** Maximum wait of a caller, across all forwardings. */
export const maxWaitSeconds = 180
/** Maximum forwardings of a call. */
export const maxHops = 5
/** Maximum transfers of a call. */
export const maxTransfers = 3

/** Usable trunks, lowest priority value first. Emergency calls try every trunk, healthy ones first. */
export const trunksInOrder = async (tables: Tables, telephony: Telephony, { emergency }: { emergency: boolean }): Promise<Trunk[]> => {
  const trunks = (await tables.trunks.list()).filter(({ active }) => active).toSorted((a, b) => a.settings.priority - b.settings.priority)
  const { usable = [], broken = [] } = Object.groupBy(trunks, ({ id }) => (telephony.trunkHealth(id).usable ? 'usable' : 'broken'))
  return emergency ? [...usable, ...broken] : usable
}

/** Checked before starting anything that needs a trunk. */
export const requireCarriers = async (tables: Tables, telephony: Telephony, { emergency }: { emergency: boolean }): Promise<void> => {
  if ((await trunksInOrder(tables, telephony, { emergency })).length > 0) return
  const broken = (await tables.trunks.list()).some(({ active }) => active)
  const message = broken
    ? 'No carrier can be reached at the moment.'
    : 'No carrier is connected: only numbers that are in service here are reached.'
  throw new Problem('line_unavailable', message)
}

/** True when the trunk could not even try the call. A reply of the called party or its network, or ringing, is final. */
export const mayTryAnother = ({ by, cause, status = 0 }: LegEnd, { rang }: { rang: boolean }): boolean =>
  !rang && (by === 'network' || cause === 'failed' || cause === 'overloaded' || (cause === 'unavailable' && status >= 500))
