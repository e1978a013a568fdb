import type { FaxResult } from '#core/kernel/ports/fax-transport.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'

/** Why a fax did not get through. `again`: it is worth another try; `answered`: the call was answered. */
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
  /** It would be so again. */
  too_slow: { again: false, answered: true },
  document_unreadable: { again: false, answered: false },
  insufficient_funds: { again: true, answered: false },
  /** Our own fault. */
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

/** Of a call that was not answered. */
export const reasonOfCause = (cause: Cause): FaxReason => causes[cause] ?? 'unavailable'

/** The numbers of T.30 as the engine gives them. */
const codes: readonly { from: number; to: number; reason: FaxReason }[] = [
  { from: 1, to: 3, reason: 'no_fax_machine' }, // only a tone, or nothing that a fax machine says
  { from: 4, to: 6, reason: 'bad_line' },
  { from: 7, to: 12, reason: 'incompatible' },
  { from: 13, to: 40, reason: 'bad_line' },
  { from: 41, to: 47, reason: 'document_unreadable' },
  { from: 48, to: 48, reason: 'bad_line' },
  { from: 49, to: 49, reason: 'interrupted' },
]

/** T.30 commands that were repeated without a response. */
const noResponse = 48
/** One side has hung up before it was over. */
export const callDropped = 49

/** Of a call that was answered; undefined when all is well. */
export const reasonOfResult = (result: FaxResult): FaxReason | undefined => {
  const { code } = result
  if (code === 0) return undefined
  if (code === undefined) return 'service_failure'
  // A person has answered, heard the tones and hung up.
  if (code === callDropped && isNoMachine(result)) return 'no_fax_machine'
  return codes.find(({ from, to }) => code >= from && code <= to)?.reason ?? 'incompatible'
}

/** The same for a call that came. Our tones are repeated to people until they have had enough of them. */
export const reasonOfReceived = (result: FaxResult): FaxReason | undefined =>
  result.code === noResponse && isNoMachine(result) ? 'no_fax_machine' : reasonOfResult(result)

const isNoMachine = ({ pages, bitRate, station }: FaxResult): boolean => pages === 0 && bitRate === 0 && station === ''
