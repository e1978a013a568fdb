import { kindOf } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Rate } from '#core/kernel/ports/store/money/tariffs.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Reservation, ReservationRequest, Spent } from '#core/kernel/ports/store/money/balances.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { estimateFaxSeconds } from './fax-estimate.ts'
import { cancelExpiry, scheduleExpiry } from './jobs.ts'
import { limitsOf, type HeldLimits } from './limits.ts'
import { rateFor, type Payer } from './rates.ts'
import { withHint } from './billing.ts'
import { watchDay } from './day-alarm.ts'
import { watchBalance } from './low-balance.ts'
import { maxSpendOf } from './leash.ts'
import { fundsExhaustedOf, type FundsExhausted } from './funds-exhausted.ts'
import { callCost, endlessSeconds, maxSeconds, talkCost, unitCost, type Span } from './rating.ts'

/** A call is paid ahead in slices; the next one is asked for before this one is over. */
const sliceSeconds = 60
/** Two phones ring for a minute each, then comes the first slice: a call that has not asked again by then is gone. */
const callExpiryMs = 5 * 60 * 1000
const smsExpiryMs = 60 * 60 * 1000

/** Who spends, and which of the own numbers others see. */
export interface SpentBy {
  userId?: string | undefined
  number?: string | undefined
}

/** Noted when it is reserved, booked when it is settled; the version before did not note it. */
interface Noted {
  by?: Pick<Spent, 'userId' | 'number' | 'country'> | undefined
}

interface CallDetail extends Noted {
  /** One for each leg that costs, in the order of the destinations. */
  legs: Rate[]
}

interface FaxDetail extends Noted {
  /** Nothing for a fax that stays here. */
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
  /** E.164 of every leg that another network carries; the rescue services and what is reached here are not among them. */
  destinations: readonly string[]
  by?: SpentBy | undefined
  leash?: ReservationRequest['leash']
}

/** Money for the first slice, or at least for the first pulse of every leg. */
export const reserveCall = async (
  tables: Tables,
  clock: Clock,
  { payer, sessionId, purpose, destinations, by, leash }: CallRequest,
): Promise<Reservation> => {
  const at = clock.now()
  const limits = await limitsOf(tables, payer.id)
  const legs: Rate[] = []
  for (const e164 of destinations) legs.push(await rateFor(tables, payer, 'CALL', e164, { at, ...limits }))
  const detail: CallDetail = { legs, by: notedOf(by, destinations.at(-1)) }
  const min = talkCost(legs, 1)
  if (limits.perCall !== undefined && min > limits.perCall) throw new Problem('call_limit_reached')
  const price = { min, want: Math.min(talkCost(legs, sliceSeconds), limits.perCall ?? Infinity) }
  return reserve(tables, payer.id, limits, { sessionId, purpose, ...price, detail, at, expiresAt: at + callExpiryMs, leash })
}

/** How many seconds of talk a call's reservation pays for. */
export const paidSeconds = ({ detail, amount }: Reservation): number => maxSeconds((detail as CallDetail).legs, amount)

/** Asks for money for the first `seconds` of a running call; gives how many are paid for now. `spans`: of legs that do not last all the time. */
export const extendCall = async (
  tables: Tables,
  clock: Clock,
  { accountId, sessionId, seconds, spans }: { accountId: string; sessionId: string; seconds: number; spans?: readonly Span[] },
): Promise<number> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  const { legs } = (reservation?.detail ?? { legs: [] }) as CallDetail
  const limits = await limitsOf(tables, accountId)
  // What is held already stays, also when the limit was lowered meanwhile.
  const want = Math.min(talkCost(legs, Math.min(seconds, endlessSeconds), spans), limits.perCall ?? Infinity)
  const held = await extend(tables, clock, accountId, limits, { sessionId, want, leash: reservation?.leash })
  if (held === undefined) throw new Error('only a call with an open reservation can be extended')
  return maxSeconds(legs, held, spans)
}

/** Why `extendCall` gave no more than `seconds`. */
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

/** Charges what was talked, for each leg in the order of the destinations, and frees the rest. Undefined when it was settled before. */
export const settleCall = async (
  tables: Tables,
  clock: Clock,
  { accountId, sessionId, seconds }: { accountId: string; sessionId: string; seconds: readonly number[] },
): Promise<number | undefined> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  const { legs, by } = (reservation?.detail ?? { legs: [] }) as CallDetail
  const cost = legs.reduce((sum, rate, leg) => sum + callCost(rate, seconds[leg] ?? 0), 0)
  const spent = { purpose: reservation?.purpose ?? 'CALL', ...by, seconds: Math.max(0, ...seconds) }
  return settle(tables, clock, accountId, { sessionId, cost, reason: 'call', spent })
}

export interface FaxInput {
  payer: Payer
  sessionId: string
  /** E.164; undefined for a number that is in service here. */
  destination: string | undefined
  pages: number
  by?: SpentBy
}

/** The whole estimate at once: a fax that is cut off is wasted. */
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
  const detail: FaxDetail = { ...(rate && { rate }), by: notedOf(by, destination) }
  // On a slow line it takes twice as long.
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
 * Asks for money for this many seconds and pages; gives how many seconds are paid for now: none any more when the reservation is not open.
 * A fax is kept as long as it is not over, so nothing is said about when the money would be free again.
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
  const held = (await extend(tables, clock, accountId, limits, { sessionId, want, leash: reservation.leash })) ?? 0
  return maxSeconds([rate], held - unitCost(rate, pages))
}

/** Of a fax that costs something. */
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
  /** E.164; undefined for a number that is in service here. */
  destination: string | undefined
  segments: number
  /** When it is to be sent. */
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
  const detail: SmsDetail = { cost, segments, by: notedOf(by, destination) }
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

/** To be called when the message was handed over: carriers charge for that, not for its arrival. `share`: how much of it was. */
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

/** Gives back what a session holds, because nothing came of it. */
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
): Promise<number | undefined> => {
  const at = clock.now()
  const leashMaxSpend = leash === undefined ? undefined : await maxSpendOf(tables, accountId, leash)
  const held = await tables.balances.extend(accountId, sessionId, { want, at, expiresAt: at + callExpiryMs, perDay, leashMaxSpend })
  if (held !== undefined && held > 0) await watchDay(tables, accountId, { at, perDay })
  return held
}

interface Settled {
  sessionId: string
  cost: number
  reason: string
  spent: Spent
}

const notedOf = (by: SpentBy | undefined, destination: string | undefined): Noted['by'] => ({
  ...by,
  country: destination === undefined ? undefined : kindOf(destination).country,
})

const settle = async (tables: Tables, clock: Clock, accountId: string, booking: Settled) => {
  const { sessionId, ...rest } = booking
  const at = clock.now()
  const paid = await tables.balances.commit(accountId, sessionId, { ...rest, at })
  await cancelExpiry(tables, sessionId)
  if (paid !== undefined && paid > 0) await watchBalance(tables, accountId, at)
  return paid
}
