import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import { writeWithinDay } from '#core/money/day-alarm.ts'
import { limitsOf } from '#core/money/limits.ts'
import { paidSeconds, reserveCall, type SpentBy } from '#core/money/reservations.ts'
import type { Payer } from '#core/money/rates.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Reservation } from '#core/kernel/ports/store/money/balances.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { Prepaid, type LegTimes, type PaidLeg, type Payable, type Payments, type SavedMeter, type SavedMeterPlace } from './prepaid.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'

/** One leg that another network carries and that is paid for: reserved before it is dialled, extended while it lasts, settled once. */
export class Meter implements PaidLeg, Payable {
  readonly money: Prepaid
  #startedAt: number | undefined
  #stoppedAt: number | undefined
  #payments: Payments | undefined

  /** `times`: of a leg that another process had. */
  constructor(money: Prepaid, times?: LegTimes) {
    this.money = money
    this.#startedAt = times?.startedAt
    this.#stoppedAt = times?.stoppedAt
    money.add(this)
  }

  /** Where it stands in what is saved. */
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

  /** From now on this one is told, also of what was said before. A leg can move to another call. */
  notify(payments: Payments): void {
    this.#payments = payments
    this.money.notify(this)
  }

  /** The leg is over. */
  stop(): void {
    this.#stoppedAt ??= this.money.clock.now()
    this.money.legStopped()
  }

  /** When another leg has the same reservation, the last one settles it for both. */
  async settle(tables: Tables): Promise<void> {
    this.stop()
    await this.money.settle(tables)
  }
}

/** Throws a Problem when the money is not enough for the first pulse, the destination cannot be reached at any price, or too many run. */
export const openMeter = async (
  books: RecordWriter,
  input: { payer: Payer; sessionId: string; e164: string; by?: SpentBy },
  onFailure: (error: unknown) => void,
): Promise<Meter> => {
  const { payer, sessionId, e164, by } = input
  const { store, clock, tasks } = books
  // Wherever it came from: a number that was dialled, an old forwarding, a phone that is listed as a device.
  if (parseNumber(e164, '')?.premium) throw new Problem('destination_blocked')
  const reserve = writeWithinDay({ store, clock }, payer.id, async (tables) => {
    const reservation = await reserveCall(tables, clock, { payer, sessionId, purpose: 'CALL', destinations: [e164], by })
    await requireCapacity(tables, clock, payer.id, reservation)
    return reservation
  })
  const paid = paidSeconds(await tasks.track(reserve))
  return new Meter(new Prepaid(books, { accountId: payer.id, sessionId, paid }, onFailure))
}

/** The money of a call that another process had, as it was reserved there, with a meter for each leg. */
export const resumeMeters = async (
  books: RecordWriter,
  { accountId, sessionId, ordered, legs }: SavedMeter,
  onFailure: (error: unknown) => void,
): Promise<{ money: Prepaid; meters: readonly Meter[] }> => {
  const reservation = await books.tasks.track(books.store.read.balances.findReservation(accountId, sessionId))
  const paid = reservation ? paidSeconds(reservation) : 0
  const money = new Prepaid(books, { accountId, sessionId, paid, ...(ordered && { ordered }) }, onFailure)
  return { money, meters: legs.map((times) => new Meter(money, times)) }
}

/**
 * What a stolen password or a forwarding that comes back to us can do at worst, in all processes. The reservation holds the lock on the account's
 * purse, so that calls that come at once are counted one after the other.
 */
const requireCapacity = async (tables: Tables, clock: Clock, accountId: string, { sessionId }: Reservation): Promise<void> => {
  const { open } = await tables.balances.countSessions(accountId, 'CALL', { than: sessionId, since: clock.now() })
  const { paidCalls } = await limitsOf(tables, accountId)
  if (open >= paidCalls) throw new Problem('rate_limited', `At most ${paidCalls} paid calls can run at a time.`)
}
