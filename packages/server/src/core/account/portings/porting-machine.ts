import { Problem } from '@offhook/contract/problem.ts'

/** Meanings of the codes in WBCI messages between carriers. */
export const messageCodes: Readonly<Record<string, string>> = {
  // consent (RUEM-VA); differences in the address do not prevent it
  8001: 'agreed as requested',
  8002: 'agreed for another date',
  8104: 'agreed, the address differs',
  8105: 'agreed, the address differs',
  8106: 'agreed, the address differs',
  8107: 'agreed, the address differs',
  // rejection (ABBM)
  8103: 'the number is not in service',
  8108: 'the address is wrong',
  8109: 'the address is wrong',
  8110: 'the address is wrong',
  8111: 'the address is wrong',
  8112: 'the holder is wrong',
  8113: 'the holder is wrong',
  8114: 'there are further holders',
  8115: 'the id of the request was used before',
  8116: 'other reason',
  8117: 'the customer is not known',
  8118: 'already agreed with another carrier',
  8140: 'the id is not known',
  // answers to a move of the date and to a cancellation
  8003: 'date moved',
  8004: 'cancelled',
  8141: 'move of the date refused',
  8142: 'cancellation refused',
  // take-over of the line
  8010: 'take-over announced',
}

export const explainCodes = (codes: readonly string[] = []): string =>
  codes.map((code) => `${code} ${messageCodes[code] ?? 'unknown code'}`).join('; ')

export const agreedCodes: ReadonlySet<string> = new Set(['8001', '8002', '8104', '8105', '8106', '8107'])

export const rejectedCodes: ReadonlySet<string> = new Set([
  '8103',
  '8108',
  '8109',
  '8110',
  '8111',
  '8112',
  '8113',
  '8114',
  '8115',
  '8116',
  '8117',
  '8118',
  '8140',
])

/** Incoming portings. Keys are the status codes that clients know; WBCI is the interface between carriers. */
export const portingStatuses = {
  100: 'waiting for the signed form of the customer',
  150: 'waiting for the consent by mail',
  160: 'consent link sent',
  170: 'consent link clicked',
  200: 'waiting for the answer of the present carrier',
  250: 'request sent over WBCI',
  251: 'request could not be transmitted',
  252: 'request rejected by the present carrier',
  400: 'accepted, date agreed',
  450: 'waiting for the data exchange',
  451: 'data exchange failed',
  500: 'complete',
  600: 'cancelled',
} as const

export type PortingStatus = keyof typeof portingStatuses

export interface Porting {
  /** `new` until the first event selects a branch. */
  status: PortingStatus | 'new'
  /** Calendar date, `2026-12-01`; set once the present carrier has agreed. */
  portDate: string | null
  /** The customer has cancelled, and the present carrier has not confirmed yet. */
  cancelRequested: boolean
}

export interface PortingData {
  portDate?: string
  /** WBCI message codes. */
  codes?: string[]
}

interface Transition {
  from: readonly Porting['status'][]
  on: string
  to: PortingStatus | 'same'
  /** Whether the data must contain the (new) date. */
  dated?: true
  /** Allowed message codes, at least one of which is required. */
  codes?: ReadonlySet<string>
  guard?: Guard
}

type Guard = 'port date reached' | 'no cancellation open' | 'cancellation open'

const transitions = [
  // Two starts: electronic for a carrier that speaks WBCI, the signed form for all others.
  { from: ['new'], on: 'create_by_form', to: 100 },
  { from: ['new'], on: 'create_by_wbci', to: 150 },

  // Consent by mail; the link works once and for a limited time.
  { from: [150], on: 'optin_mail_sent', to: 160 },
  { from: [160], on: 'optin_clicked', to: 170 },
  { from: [160], on: 'optin_expired', to: 150 },
  { from: [150, 160, 251], on: 'fall_back_to_form', to: 100 },

  // The signed form, by fax to us and from us to the carrier.
  { from: [100], on: 'form_received', to: 200 },
  { from: [200], on: 'form_agreed', to: 400, dated: true },
  { from: [200], on: 'form_refused', to: 100 },

  // The request over WBCI: VA, answered by RUEM-VA or ABBM. A failed delivery is not a rejection.
  { from: [170, 251], on: 'request_sent', to: 250 },
  { from: [250], on: 'transport_failed', to: 251 },
  { from: [250], on: 'request_agreed', to: 400, dated: true, codes: agreedCodes },
  { from: [250], on: 'request_rejected', to: 252, codes: rejectedCodes },
  { from: [252], on: 'data_corrected', to: 150 },

  // Agreed. TV moves the date; STR-AEN cancels the agreement in favour of a new request.
  { from: [400], on: 'date_moved', to: 'same', dated: true },
  { from: [400], on: 'date_move_refused', to: 'same' },
  { from: [400], on: 'change_confirmed', to: 150 },
  { from: [400, 451], on: 'exchange_opened', to: 450, guard: 'no cancellation open' },
  { from: [450], on: 'exchange_failed', to: 451 },
  { from: [450], on: 'exchange_confirmed', to: 500, guard: 'port date reached' },

  // Not binding yet: the customer can leave directly. Later the present carrier must agree (STR-AUF).
  { from: [100, 150, 160, 170, 200, 251, 252], on: 'revoked', to: 600 },
  { from: [250, 400, 451], on: 'cancel_requested', to: 'same', guard: 'no cancellation open' },
  { from: [250, 400, 451], on: 'cancel_confirmed', to: 600, guard: 'cancellation open' },
  { from: [250, 400, 451], on: 'cancel_refused', to: 'same', guard: 'cancellation open' },
] as const satisfies readonly Transition[]

export const portingTransitions: readonly Transition[] = transitions
export type PortingEvent = (typeof transitions)[number]['on']

const finished: readonly Porting['status'][] = [500, 600]
const revocableStatuses: readonly Porting['status'][] = [100, 150, 160, 170, 200, 250, 251, 252, 400]
const needsConfirmation: readonly Porting['status'][] = [250, 400, 451]

/** Applies `event`; throws a conflict if the state does not allow the event or a condition is not met. Keeps other fields. */
export function apply<P extends Porting>(porting: P, event: PortingEvent, data: PortingData, now: number): P {
  const transition = portingTransitions.find(({ from, on }) => on === event && from.includes(porting.status))
  if (!transition) throw new Problem('conflict', `${event} is not possible while the porting is in state ${porting.status}.`)
  checkGuard(transition, porting, now)
  checkData(transition, data)
  const status = transition.to === 'same' ? porting.status : transition.to
  const portDate = transition.dated ? (data.portDate ?? null) : isAgreed(status) ? porting.portDate : null
  const wanted = event === 'cancel_requested' || (porting.cancelRequested && event !== 'cancel_refused')
  return { ...porting, status, portDate, cancelRequested: wanted && needsConfirmation.includes(status) }
}

/** Events of a state, ignoring guards. */
export function legalEvents(status: Porting['status']): PortingEvent[] {
  return transitions.filter(({ from }) => (from as readonly Porting['status'][]).includes(status)).map(({ on }) => on)
}

export interface PossibleStep {
  event: PortingEvent
  /** Data that the event requires. */
  needs: ('portDate' | 'codes')[]
}

/** Events that the state and an open cancellation allow. */
export function possibleSteps({ status, cancelRequested }: Pick<Porting, 'status' | 'cancelRequested'>): PossibleStep[] {
  const hindered: Guard = cancelRequested ? 'no cancellation open' : 'cancellation open'
  return portingTransitions
    .filter(({ from, guard }) => from.includes(status) && guard !== hindered)
    .map(({ on, dated, codes }) => ({
      event: on as PortingEvent,
      needs: [...(dated ? ['portDate' as const] : []), ...(codes ? ['codes' as const] : [])],
    }))
}

/** Whether the customer may still revoke. 451 is left to the operator's staff, 450 is being switched. */
export function revocable(status: PortingStatus): boolean {
  return revocableStatuses.includes(status)
}

/** Event of a revocation in this state: immediate, or a request that the present carrier has to confirm. */
export function revocationEvent(status: PortingStatus): 'revoked' | 'cancel_requested' {
  if (!revocable(status)) throw new Problem('porting_not_revocable', `The porting can no longer be revoked in state ${status}.`)
  return needsConfirmation.includes(status) ? 'cancel_requested' : 'revoked'
}

/** Not finished. */
export function pending(status: PortingStatus): boolean {
  return !finished.includes(status)
}

/** A cancelled agreement loses its date. */
function isAgreed(status: Porting['status']): boolean {
  return status !== 'new' && status >= 400
}

function checkGuard({ on, guard }: Transition, porting: Porting, now: number): void {
  const refuse = (why: string) => new Problem('conflict', `${on} is not possible in state ${porting.status}: ${why}.`)
  if (guard === 'no cancellation open' && porting.cancelRequested) throw refuse('a cancellation is waiting for its confirmation')
  if (guard === 'cancellation open' && !porting.cancelRequested) throw refuse('no cancellation was requested')
  if (guard !== 'port date reached') return
  if (porting.portDate === null) throw refuse('no port date is agreed')
  if (now < Date.parse(porting.portDate)) throw refuse(`the port date ${porting.portDate} is not reached`)
}

function checkData({ on, dated, codes: allowed }: Transition, data: PortingData): void {
  if (dated && !isDate(data.portDate)) throw Problem.field('portDate', `is required for ${on}, as YYYY-MM-DD`)
  if (!allowed) return
  const codes = data.codes ?? []
  if (codes.length === 0) throw Problem.field('codes', `must name the message codes of ${on}`)
  const foreign = codes.find((code) => !allowed.has(code))
  if (foreign !== undefined) throw Problem.field('codes', `has ${foreign.slice(0, 10)}, which does not belong to ${on}`)
}

function isDate(value: string | undefined): boolean {
  if (value === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(value)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}
