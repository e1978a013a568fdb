import type { Cause, LegEnd } from '#core/kernel/ports/telephony.ts'
import { formatReason, parseReason } from '@offhook/sip/grammar/headers.ts'
import { leniently } from '@offhook/sip/grammar/scan.ts'
import type { SessionEnd } from '@offhook/sip/session/session.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'

interface Wording {
  /** Status that rejects an unanswered call. */
  status: number
  /** ITU-T Q.850, for gateways and statistics of the far end (RFC 3326). */
  q850: number
  text: string
}

const wordings: Record<Cause, Wording> = {
  normal: { status: 480, q850: 16, text: 'Normal call clearing' },
  answered_elsewhere: { status: 480, q850: 26, text: 'Call completed elsewhere' },
  busy: { status: 486, q850: 17, text: 'User busy' },
  do_not_disturb: { status: 480, q850: 17, text: 'Do not disturb' },
  no_answer: { status: 480, q850: 19, text: 'No answer' },
  rejected: { status: 603, q850: 21, text: 'Call rejected' },
  not_found: { status: 404, q850: 1, text: 'Unallocated number' },
  unreachable: { status: 408, q850: 18, text: 'No user responding' },
  unavailable: { status: 480, q850: 20, text: 'Subscriber absent' },
  forbidden: { status: 403, q850: 57, text: 'Not authorized' },
  payment_required: { status: 402, q850: 57, text: 'Not enough money' },
  daily_limit_reached: { status: 402, q850: 57, text: 'Spending limit of the day' },
  call_limit_reached: { status: 402, q850: 57, text: 'Spending limit of a call' },
  leash_spent: { status: 402, q850: 57, text: 'Spending limit of a token' },
  anonymity_refused: { status: 433, q850: 24, text: 'Anonymous calls are refused' },
  loop: { status: 482, q850: 25, text: 'Loop' },
  not_acceptable: { status: 488, q850: 88, text: 'Incompatible destination' },
  media_timeout: { status: 480, q850: 102, text: 'No audio arrives' },
  overloaded: { status: 503, q850: 42, text: 'Congestion' },
  out_of_service: { status: 503, q850: 41, text: 'Temporary failure' },
  failed: { status: 500, q850: 41, text: 'Temporary failure' },
}

export const statusOf = (cause: Cause): number => wordings[cause].status

/** A caller rejected for lack of capacity may retry. */
export const later: HeaderLines = [['Retry-After', '10']]

const soon: HeaderLines = [['Retry-After', '5']]

/** Status and headers for a call that is rejected or, once answered, ended. */
export const farewellOf = (cause: Cause, answered: boolean): { status: number; reason: string; headers: HeaderLines } => ({
  status: statusOf(cause),
  reason: reasonOf(cause),
  headers: answered ? [] : retryAt(cause),
})

const retryAt = (cause: Cause): HeaderLines => (cause === 'overloaded' ? later : cause === 'out_of_service' ? soon : [])

/** Value of a Reason header for BYE, CANCEL and rejections. */
export const reasonOf = (cause: Cause): string => {
  const { q850, text } = wordings[cause]
  // RFC 3326 §2: tells other phones not to show a missed call.
  if (cause === 'answered_elsewhere') return formatReason({ protocol: 'SIP', cause: 200, text })
  return formatReason({ protocol: 'Q.850', cause: q850, text })
}

const byStatus: Record<number, Cause> = {
  401: 'forbidden',
  402: 'overloaded', // our balance at the carrier is empty, not the customer's
  403: 'forbidden',
  404: 'not_found',
  406: 'not_acceptable',
  407: 'forbidden',
  408: 'no_answer',
  410: 'not_found',
  415: 'not_acceptable',
  433: 'anonymity_refused',
  480: 'unavailable',
  482: 'loop',
  483: 'loop',
  484: 'not_found',
  485: 'not_found',
  486: 'busy',
  487: 'normal',
  488: 'not_acceptable',
  503: 'overloaded',
  504: 'unavailable',
  600: 'busy',
  603: 'rejected',
  604: 'not_found',
  606: 'not_acceptable',
  607: 'rejected',
  608: 'rejected',
}

const byQ850: Record<number, Cause> = {
  1: 'not_found',
  2: 'unavailable',
  3: 'unavailable',
  16: 'normal',
  17: 'busy',
  18: 'no_answer',
  19: 'no_answer',
  20: 'unavailable',
  21: 'rejected',
  22: 'not_found',
  25: 'loop',
  26: 'answered_elsewhere',
  27: 'unavailable',
  28: 'not_found',
  31: 'normal',
  34: 'overloaded',
  42: 'overloaded',
  44: 'overloaded',
  57: 'forbidden',
  58: 'overloaded',
  65: 'not_acceptable',
  88: 'not_acceptable',
}

/** Skips unparsable reasons. */
const readReasons = (values: readonly string[]): { protocol: string; cause: number }[] =>
  values.flatMap((value) => {
    const { protocol = '', cause } = leniently(() => parseReason(value)) ?? {}
    return cause === undefined ? [] : [{ protocol, cause }]
  })

/** Vague statuses: a more specific cause of the network behind a gateway takes precedence. */
const isVague = (status: number): boolean => status === 480 || (status >= 500 && status < 600)

const ofStatus = (status: number): Cause => {
  const known = byStatus[status]
  if (known) return known
  if (status >= 300 && status < 400) return 'unavailable' // moved; redirects are not followed
  return status >= 600 ? 'rejected' : 'failed'
}

/** Cause of a rejected outbound call. `reasons` are the values of its Reason headers. */
export const causeOfRejection = (status: number, reasons: readonly string[] = []): Cause => {
  if (!isVague(status)) return ofStatus(status)
  const notified = readReasons(reasons).find(({ protocol }) => protocol === 'Q.850')
  return (notified && byQ850[notified.cause]) ?? ofStatus(status)
}

/** Cause for which the far end hung up or cancelled. */
export const causeOfEnd = (reasons: readonly string[] = []): Cause => {
  for (const { protocol, cause } of readReasons(reasons)) {
    if (protocol === 'SIP') return cause === 200 ? 'answered_elsewhere' : ofStatus(cause)
    const known = protocol === 'Q.850' ? byQ850[cause] : undefined
    if (known) return known
  }
  return 'normal'
}

/** Rejected because of our offer, not because of the call. */
export const isIncompatible = ({ by, status }: SessionEnd): boolean => by === 'peer' && [415, 488, 606].includes(status ?? 0)

/** Converts the end of a session. */
export const legEnd = ({ by, status, message }: SessionEnd, answered: boolean): LegEnd => {
  const reasons = message?.list('reason') ?? []
  const said = status === undefined ? {} : { status }
  if (by === 'us') return { by, cause: 'normal' }
  if (by === 'network') return { by, cause: answered ? 'failed' : 'unreachable', ...said }
  if (status === undefined || message?.kind === 'request') return { by, cause: causeOfEnd(reasons) }
  return { by, cause: causeOfRejection(status, reasons), status }
}
