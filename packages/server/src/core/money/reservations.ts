import { kindOf } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Balances, Rate, Reservation, ReservationRequest, Spent } from '#core/kernel/ports/store/money.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { cancelExpiry, scheduleExpiry } from './jobs.ts'
import { isShort, rateFor, type Payer } from './rates.ts'
import { limitsOf, type HeldLimits } from './limits.ts'
import { withHint } from './billing.ts'
import type { CallFunds } from './call-funds.ts'
import { watchDay } from './day-alarm.ts'
import { watchBalance } from './charge.ts'
import { maxSpendOf } from './leash.ts'
import { fundsExhaustedOf, type FundsExhausted } from './funds-exhausted.ts'
import { callCost, endlessSeconds, maxSeconds, talkCost, unitCost, type Span } from './rating.ts'

/** Seconds per prepaid slice of a call; the next one is requested before this one ends. */
const sliceSeconds = 60
/** Two phones ring for a minute each, then the first slice begins: a call without a further request by then is gone. */
const callExpiryMs = 5 * 60 * 1000
const smsExpiryMs = 60 * 60 * 1000

/** Spending user, and the own number shown to others. */
export interface SpentBy {
  userId?: string | undefined
  number?: string | undefined
}

/** Recorded with the reservation, booked with the settlement; missing in data of the previous version. */
interface Noted {
  by?: Pick<Spent, 'userId' | 'number' | 'country'> | undefined
}

interface CallDetail extends Noted {
  /** One per paid leg, in the order of the destinations. */
  legs: Rate[]
  /** The account's limit for a single call, when it was reserved. */
  perCall?: number
}

interface FaxDetail extends Noted {
  /** Missing for an internal fax. */
  rate?: Rate
}

interface SmsDetail extends Noted {
  cost: number
  segments?: number
}

export interface CallRequest {
  payer: Payer
  sessionId: string
  purpose: 'CALL' | 'FLOW'
  /** E.164 of every leg carried by another network; excludes emergency services and local destinations. */
  destinations: readonly string[]
  by?: SpentBy | undefined
  leash?: ReservationRequest['leash']
}

/** Reserves the first slice, or at least the first pulse of every leg. */
export const reserveCall = async (
  tables: Tables,
  clock: Clock,
  { payer, sessionId, purpose, destinations, by, leash }: CallRequest,
): Promise<Reservation> => {
  const at = clock.now()
  const limits = await limitsOf(tables, payer.id)
  const legs: Rate[] = []
  for (const e164 of destinations) legs.push(await rateFor(tables, payer, 'CALL', e164, { at, ...limits }))
  const { perCall } = limits
  const detail: CallDetail = { legs, by: notedOf(by, payer, destinations.at(-1)), ...(perCall !== undefined && { perCall }) }
  const min = talkCost(legs, 1)
  if (limits.perCall !== undefined && min > limits.perCall) throw new Problem('call_limit_reached')
  const price = { min, want: Math.min(talkCost(legs, sliceSeconds), limits.perCall ?? Infinity) }
  return reserve(tables, payer.id, limits, { sessionId, purpose, ...price, detail, at, expiresAt: at + callExpiryMs, leash })
}

/** Seconds of talk covered by a call's reservation. */
export const paidSeconds = ({ detail, amount }: Reservation): number => maxSeconds((detail as CallDetail).legs, amount)

/** A process's knowledge of a call's reservation. */
export const fundsOf = ({ detail, amount, leash, spare }: Reservation): CallFunds => {
  const { legs, perCall } = detail as CallDetail
  return { legs, amount, maxAmount: perCall ?? Infinity, leash, spare }
}

/** Reserves money for the first `seconds` of a running call; returns the seconds covered now. `spans`: of legs that do not last all the time. */
export const extendCall = async (
  tables: Tables,
  clock: Clock,
  { accountId, sessionId, seconds, spans }: { accountId: string; sessionId: string; seconds: number; spans?: readonly Span[] },
): Promise<{ seconds: number; funds: CallFunds }> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  const { legs } = (reservation?.detail ?? { legs: [] }) as CallDetail
  const limits = await limitsOf(tables, accountId)
  const maxAmount = limits.perCall ?? Infinity
  // The held amount stays, even if the limit was lowered since.
  const want = Math.min(talkCost(legs, Math.min(seconds, endlessSeconds), spans), maxAmount)
  const leash = reservation?.leash
  const held = await extend(tables, clock, accountId, limits, { sessionId, want, leash })
  if (held === undefined) throw new Error('only a call with an open reservation can be extended')
  return { seconds: maxSeconds(legs, held.amount, spans), funds: { legs, maxAmount, leash, ...held } }
}

/** Raises the reservation of a call to what a process held for it while the database was unreachable, or as far as the money allows. */
export const raiseReservation = async (
  tables: Tables,
  clock: Clock,
  { accountId, sessionId, amount: want }: { accountId: string; sessionId: string; amount: number },
): Promise<void> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  if (reservation?.state !== 'OPEN' || reservation.amount >= want) return
  await extend(tables, clock, accountId, await limitsOf(tables, accountId), { sessionId, want, leash: reservation.leash })
}

/** Reason that `extendCall` gave no more than `seconds`. */
export const stopReason = async (
  tables: Tables,
  clock: Clock,
  { accountId, sessionId, seconds, spans }: { accountId: string; sessionId: string; seconds: number; spans?: readonly Span[] },
): Promise<FundsExhausted> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  if (!reservation) return 'balance'
  const next = talkCost((reservation.detail as CallDetail).legs, seconds + 1, spans)
  return fundsExhaustedOf(tables, clock, accountId, { limits: await limitsOf(tables, accountId), reservation, next })
}

/**
 * Charges the talk time of each leg in the order of the destinations, and releases the rest. Undefined if it was already settled. `held`:
 * amount that its process held for it while the database was unreachable.
 */
export const settleCall = async (
  tables: Tables,
  clock: Clock,
  { accountId, sessionId, seconds, held = 0 }: { accountId: string; sessionId: string; seconds: readonly number[]; held?: number },
): Promise<number | undefined> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  const { legs, by } = (reservation?.detail ?? { legs: [] }) as CallDetail
  const cost = legs.reduce((sum, rate, leg) => sum + callCost(rate, seconds[leg] ?? 0), 0)
  const spent = { purpose: reservation?.purpose ?? 'CALL', ...by, seconds: Math.max(0, ...seconds) }
  if (held > 0) await raiseReservation(tables, clock, { accountId, sessionId, amount: Math.min(cost, held) })
  return settle(tables, clock, accountId, { sessionId, cost, reason: 'call', spent })
}

export interface FaxInput {
  payer: Payer
  sessionId: string
  /** E.164; undefined for a number in service here. */
  destination: string | undefined
  pages: number
  by?: SpentBy
}

/** Reserves the whole estimate: a fax that is cut off is wasted. */
export const reserveFax = async (
  tables: Tables,
  clock: Clock,
  { payer, sessionId, destination, pages, by }: FaxInput,
): Promise<Reservation> => {
  const at = clock.now()
  const limits = await limitsOf(tables, payer.id)
  const rate = destination === undefined ? undefined : await rateFor(tables, payer, 'FAX', destination, { at, ...limits })
  const seconds = estimateFaxSeconds(pages)
  const cost = rate ? callCost(rate, seconds) + unitCost(rate, pages) : 0
  const detail: FaxDetail = { ...(rate && { rate }), by: notedOf(by, payer, destination) }
  // Twice the estimate, for a slow line.
  return reserve(tables, payer.id, limits, {
    sessionId,
    purpose: 'FAX',
    min: cost,
    want: cost,
    detail,
    at,
    expiresAt: at + callExpiryMs + 2000 * seconds,
  })
}

/**
 * Reserves money for this many seconds and pages; returns the seconds covered now, 0 if the reservation is not open. Its expiry does not
 * matter: the reservation of an unfinished fax is kept.
 */
export const extendFax = async (
  tables: Tables,
  clock: Clock,
  { accountId, sessionId, seconds, pages }: { accountId: string; sessionId: string; seconds: number; pages: number },
): Promise<number> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  if (reservation?.state !== 'OPEN') return 0
  const { rate } = reservation.detail as FaxDetail
  if (!rate) return endlessSeconds
  const want = callCost(rate, seconds) + unitCost(rate, pages)
  const limits = await limitsOf(tables, accountId)
  const held = await extend(tables, clock, accountId, limits, { sessionId, want, leash: reservation.leash })
  return maxSeconds([rate], (held?.amount ?? 0) - unitCost(rate, pages))
}

/** Whether a fax has a price. */
export const hasPrice = ({ detail }: Reservation): boolean => (detail as FaxDetail).rate !== undefined

export const settleFax = async (
  tables: Tables,
  clock: Clock,
  { accountId, sessionId, seconds, pages }: { accountId: string; sessionId: string; seconds: number; pages: number },
): Promise<number | undefined> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  const { rate, by } = (reservation?.detail ?? {}) as FaxDetail
  const cost = rate ? callCost(rate, seconds) + unitCost(rate, pages) : 0
  const spent = { purpose: 'FAX', ...by, seconds, units: pages } as const
  return settle(tables, clock, accountId, { sessionId, cost, reason: 'fax', spent })
}

export interface SmsInput {
  payer: Payer
  sessionId: string
  /** E.164; undefined for a number in service here. */
  destination: string | undefined
  segments: number
  /** Time of sending. */
  sendAt: number
  by?: SpentBy
  leash?: ReservationRequest['leash']
}

export const reserveSms = async (tables: Tables, clock: Clock, input: SmsInput): Promise<Reservation> => {
  const { payer, sessionId, destination, segments, sendAt, by, leash } = input
  const at = clock.now()
  const limits = await limitsOf(tables, payer.id)
  const rate = destination === undefined ? undefined : await rateFor(tables, payer, 'SMS', destination, { at, ...limits })
  const cost = rate ? unitCost(rate, segments) : 0
  const detail: SmsDetail = { cost, segments, by: notedOf(by, payer, destination) }
  return reserve(tables, payer.id, limits, {
    sessionId,
    purpose: 'SMS',
    min: cost,
    want: cost,
    detail,
    at,
    expiresAt: sendAt + smsExpiryMs,
    leash,
  })
}

/** Called when the message was handed over: carriers charge for that, not for its delivery. `share`: part that was handed over. */
export const settleSms = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  sessionId: string,
  share = 1,
): Promise<number | undefined> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  const { cost, segments, by } = (reservation?.detail ?? { cost: 0 }) as SmsDetail
  const units = segments === undefined ? undefined : Math.round(segments * share)
  const spent = { purpose: 'SMS', ...by, units } as const
  return settle(tables, clock, accountId, { sessionId, cost: Math.round(cost * share), reason: 'sms', spent })
}

/** Releases the reservation of a session that did not take place. */
export const release = async (tables: Tables, accountId: string, sessionId: string): Promise<void> => {
  await tables.balances.release(accountId, sessionId)
  await cancelExpiry(tables, sessionId)
}

const reserve = async (
  tables: Tables,
  accountId: string,
  { perDay }: HeldLimits,
  input: Omit<ReservationRequest, 'perDay'>,
): Promise<Reservation> => {
  const reservation = await tables.balances.reserve(accountId, { ...input, perDay })
  if (reservation === 'not_covered') throw await withHint(tables, 'insufficient_funds')
  if (reservation === 'day_full') throw await withHint(tables, 'daily_limit_reached')
  if (reservation === 'leash_full') throw new Problem('leash_spent')
  if (reservation.state === 'OPEN') await scheduleExpiry(tables, accountId, reservation)
  if (reservation.amount > 0) await watchDay(tables, accountId, { at: input.at, perDay })
  return reservation
}

const extend = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  { perDay }: HeldLimits,
  { sessionId, want, leash }: { sessionId: string; want: number; leash: string | undefined },
): ReturnType<Balances['extend']> => {
  const at = clock.now()
  const leashMaxSpend = leash === undefined ? undefined : await maxSpendOf(tables, accountId, leash)
  const held = await tables.balances.extend(accountId, sessionId, { want, at, expiresAt: at + callExpiryMs, perDay, leashMaxSpend })
  if (held && held.amount > 0) await watchDay(tables, accountId, { at, perDay })
  return held
}

interface Settled {
  sessionId: string
  cost: number
  reason: string
  spent: Spent
}

const notedOf = (by: SpentBy | undefined, { country: home }: Payer, destination: string | undefined): Noted['by'] => ({
  ...by,
  country: destination === undefined ? undefined : isShort(destination) ? home : kindOf(destination).country,
})

const settle = async (tables: Tables, clock: Clock, accountId: string, booking: Settled) => {
  const { sessionId, ...rest } = booking
  const at = clock.now()
  const paid = await tables.balances.commit(accountId, sessionId, { ...rest, at })
  await cancelExpiry(tables, sessionId)
  if (paid !== undefined && paid > 0) await watchBalance(tables, accountId, at)
  return paid
}

const setUpSeconds = 30
const secondsPerPage = 60

/**
 * Line time to reserve before a fax is sent. Measured: 43 s for one page and about 30 s for each further one at 14400 bit/s, up to 86 s
 * per page on a slow line; a slower fax extends its reservation, since cutting it off would waste what was sent.
 */
export function estimateFaxSeconds(pages: number): number {
  return setUpSeconds + secondsPerPage * pages
}
