import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import { writeWithinDay } from '#core/money/day-alarm.ts'
import { limitsOf } from '#core/money/limits.ts'
import { fundsOf, paidSeconds, reserveCall, type SpentBy } from '#core/money/reservations.ts'
import type { Payer } from '#core/money/rates.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Reservation } from '#core/kernel/ports/store/money.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import {
  Prepaid,
  type Bookkeeping,
  type LegTimes,
  type PaidLeg,
  type Payable,
  type Payments,
  type SavedMeter,
  type SavedMeterPlace,
} from './prepaid.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import type { PromptName } from '#core/kernel/ports/audio.ts'
import type { FundsExhausted } from '#core/money/funds-exhausted.ts'

/** Charge for one leg on an external network: reserved before dialling, extended while it lasts, settled once. */
export class Meter implements PaidLeg, Payable {
  readonly money: Prepaid
  #startedAt: number | undefined
  #stoppedAt: number | undefined
  #payments: Payments | undefined

  /** `times`: of a leg taken over from another node. */
  constructor(money: Prepaid, times?: LegTimes) {
    this.money = money
    this.#startedAt = times?.startedAt
    this.#stoppedAt = times?.stoppedAt
    money.add(this)
  }

  /** Position in the saved meters. */
  get place(): SavedMeterPlace {
    return this.money.placeOf(this)
  }

  get accountId(): string {
    return this.money.accountId
  }

  get startedAt(): number | undefined {
    return this.#startedAt
  }

  get stoppedAt(): number | undefined {
    return this.#stoppedAt
  }

  get payments(): Payments | undefined {
    return this.#payments
  }

  /** The leg was answered. */
  start(): void {
    if (this.#startedAt !== undefined || this.#stoppedAt !== undefined) return
    this.#startedAt = this.money.clock.now()
    this.money.keep()
  }

  /** Sets the listener and repeats a pending notification to it. A leg can move to another call. */
  notify(payments: Payments): void {
    this.#payments = payments
    this.money.notify(this)
  }

  /** The leg has ended. */
  stop(): void {
    this.#stoppedAt ??= this.money.clock.now()
    this.money.legStopped()
  }

  /** Legs that share a reservation are settled together by the last one. */
  async settle(tables: Tables): Promise<void> {
    this.stop()
    await this.money.settle(tables)
  }
}

/** Throws a Problem when the balance does not cover the first increment, the destination is blocked, or too many paid calls run. */
export const openMeter = async (
  books: Bookkeeping,
  input: { payer: Payer; sessionId: string; e164: string; by?: SpentBy },
  onFailure: (error: unknown) => void,
): Promise<Meter> => {
  const { payer, sessionId, e164, by } = input
  const { store, clock, tasks } = books
  // Premium numbers are blocked whatever their source: dialled, an old forwarding, or a number listed as a device.
  if (e164.startsWith('+') && parseNumber(e164, '')?.premium) throw new Problem('destination_blocked')
  const reserve = writeWithinDay({ store, clock }, payer.id, async (tables) => {
    const reservation = await reserveCall(tables, clock, { payer, sessionId, purpose: 'CALL', destinations: [e164], by })
    await requireCapacity(tables, clock, payer.id, reservation)
    return reservation
  })
  const reservation = await tasks.track(reserve)
  const held = { accountId: payer.id, sessionId, paid: paidSeconds(reservation), funds: fundsOf(reservation) }
  return new Meter(new Prepaid(books, held, onFailure))
}

/** Restores the reservation of a call from another node, with a meter for each leg. */
export const resumeMeters = async (
  books: Bookkeeping,
  { accountId, sessionId, ordered, legs, held }: SavedMeter,
  onFailure: (error: unknown) => void,
): Promise<{ money: Prepaid; meters: readonly Meter[] }> => {
  const reservation = await books.tasks.track(books.store.read.balances.findReservation(accountId, sessionId))
  const known = reservation ? { paid: paidSeconds(reservation), funds: fundsOf(reservation) } : { paid: 0 }
  const money = new Prepaid(books, { accountId, sessionId, held, ...known, ...(ordered && { ordered }) }, onFailure)
  return { money, meters: legs.map((times) => new Meter(money, times)) }
}

/**
 * Limits the damage of a stolen password or a forwarding loop, across all nodes. The reservation locks the account's balance, so concurrent calls are
 * counted one after the other.
 */
const requireCapacity = async (tables: Tables, clock: Clock, accountId: string, { sessionId }: Reservation): Promise<void> => {
  const { open } = await tables.balances.countSessions(accountId, 'CALL', { than: sessionId, since: clock.now() })
  const { paidCalls } = await limitsOf(tables, accountId)
  if (open >= paidCalls) throw new Problem('rate_limited', `At most ${paidCalls} paid calls can run at a time.`)
}

const causes: Record<FundsExhausted, Cause> = {
  balance: 'payment_required',
  call: 'call_limit_reached',
  day: 'daily_limit_reached',
  leash: 'leash_spent',
}

/** Cause sent to phones, and noted in the timeline, when a call ends for lack of funds. */
export const causeOfExhaustion = (why: FundsExhausted): Cause => causes[why]

/** Prompt before the end; does not claim an empty balance when a limit was reached. */
export const promptOfExhaustion = (why: FundsExhausted): PromptName => (why === 'balance' ? 'insufficient-funds' : 'spending-limit')
