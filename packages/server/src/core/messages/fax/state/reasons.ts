import type { FaxResult } from '#core/kernel/ports/messages.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'

/** Failure reasons of a fax. `again`: worth a retry; `answered`: the call was answered. */
export const reasons = {
  busy: { again: true, answered: false },
  no_answer: { again: true, answered: false },
  unavailable: { again: true, answered: false },
  no_carrier: { again: true, answered: false },
  rejected: { again: false, answered: false },
  not_found: { again: false, answered: false },
  forbidden: { again: false, answered: false },
  /** Answered by a person, who must not be called by a fax machine again. */
  no_fax_machine: { again: false, answered: true },
  incompatible: { again: false, answered: true },
  bad_line: { again: true, answered: true },
  interrupted: { again: true, answered: true },
  /** A retry would be too slow again. */
  too_slow: { again: false, answered: true },
  document_unreadable: { again: false, answered: false },
  insufficient_funds: { again: true, answered: false },
  /** A fault on our side. */
  service_failure: { again: true, answered: false },
  service_shutdown: { again: true, answered: false },
  cancelled: { again: false, answered: false },
} as const satisfies Record<string, { again: boolean; answered: boolean }>

export type FaxReason = keyof typeof reasons

export const isReason = (word: string | undefined): word is FaxReason => word !== undefined && Object.hasOwn(reasons, word)

const causes: Partial<Record<Cause, FaxReason>> = {
  busy: 'busy',
  do_not_disturb: 'busy',
  no_answer: 'no_answer',
  rejected: 'rejected',
  not_found: 'not_found',
  unavailable: 'unavailable',
  forbidden: 'forbidden',
  anonymity_refused: 'forbidden',
  payment_required: 'no_carrier',
  overloaded: 'no_carrier',
  failed: 'no_carrier',
  not_acceptable: 'no_fax_machine',
}

/** Reason of an unanswered call. */
export const reasonOfCause = (cause: Cause): FaxReason => causes[cause] ?? 'unavailable'

/** T.30 result codes of the engine. */
const codes: readonly { from: number; to: number; reason: FaxReason }[] = [
  { from: 1, to: 3, reason: 'no_fax_machine' }, // only a tone, or no fax signal
  { from: 4, to: 6, reason: 'bad_line' },
  { from: 7, to: 12, reason: 'incompatible' },
  { from: 13, to: 40, reason: 'bad_line' },
  { from: 41, to: 47, reason: 'document_unreadable' },
  { from: 48, to: 48, reason: 'bad_line' },
  { from: 49, to: 49, reason: 'interrupted' },
]

/** T.30 commands repeated without a response. */
const noResponse = 48
/** One side hung up early. */
export const callDropped = 49

/** Reason of an answered call; undefined on success. */
export const reasonOfResult = (result: FaxResult): FaxReason | undefined => {
  const { code } = result
  if (code === 0) return undefined
  if (code === undefined) return 'service_failure'
  // A person answered, heard the tones and hung up.
  if (code === callDropped && isNoMachine(result)) return 'no_fax_machine'
  return codes.find(({ from, to }) => code >= from && code <= to)?.reason ?? 'incompatible'
}

/** The same for an inbound call. Our tones repeat until a person hangs up. */
export const reasonOfReceived = (result: FaxResult): FaxReason | undefined =>
  result.code === noResponse && isNoMachine(result) ? 'no_fax_machine' : reasonOfResult(result)

const isNoMachine = ({ pages, bitRate, station }: FaxResult): boolean => pages === 0 && bitRate === 0 && station === ''
