import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '../numbers/phone-number.ts'
import { extendCall, paidSeconds, release, reserveCall, settleCall, type Payer } from '../money/purse.ts'
import { longestCallSeconds } from '../money/rating.ts'
import type { Clock } from '../ports/clock.ts'
import type { Reservation } from '../ports/store/balances.ts'
import type { Tables } from '../ports/store/index.ts'
import type { Bookkeeping } from './sure-write.ts'

/** Who has to do something when the money of a running call is at its end. */
export interface Payments {
  /** What is paid for is over in `ms`, and there is no more. */
  runsOut(ms: number): void
  /** Nobody could be asked in time whether there is more. */
  unknown(): void
}

/** Asked for more this long before the end of what is paid … */
const aheadSeconds = 10
/** … and told this long before it, so that there is time for a sentence. */
const noticeSeconds = 6
/** A reservation that is not heard of for five minutes is given back. */
const signOfLifeSeconds = 240
const sliceSeconds = 60
const retrySeconds = 2
/** Of one account, in all processes: what a stolen password or a forwarding that comes back to us can do at worst. */
export const mostPaidLegs = 30

/** Money that was reserved for a leg. */
interface Held {
  accountId: string
  sessionId: string
  /** Seconds. */
  paid: number
  /** Somebody ordered it: whatever comes of it, the same order is not carried out again. */
  ordered?: true
}

/** Money for one leg that another network carries: reserved before it is dialled, extended while it lasts, settled once. */
export class Meter {
  readonly accountId: string
  readonly #sessionId: string
  readonly #ordered: boolean
  readonly #books: Bookkeeping
  readonly #onFailure: (error: unknown) => void
  #paid: number
  #startedAt: number | undefined
  #stoppedAt: number | undefined
  #payments: Payments | undefined
  /** There is no more money: it was said already. */
  #exhausted = false
  #cancelTimer: () => void = () => {}

  constructor(books: Bookkeeping, held: Held, onFailure: (error: unknown) => void) {
    this.accountId = held.accountId
    this.#sessionId = held.sessionId
    this.#ordered = held.ordered ?? false
    this.#paid = held.paid
    this.#books = books
    this.#onFailure = onFailure
  }

  /** The leg was answered. */
  start(): void {
    if (this.#startedAt !== undefined || this.#stoppedAt !== undefined) return
    this.#startedAt = this.#books.clock.now()
    this.#waitForNext()
  }

  /** From now on this one is told, also of what was said before. A leg can move to another call. */
  tell(payments: Payments): void {
    this.#payments = payments
    if (this.#exhausted) this.#runOut()
  }

  /** The leg is over. */
  stop(): void {
    this.#stoppedAt ??= this.#books.clock.now()
    this.#cancelTimer()
  }

  /** Part of a transaction, which may run again. Taking money twice is what the table does not allow. */
  async settle(tables: Tables): Promise<void> {
    this.stop()
    const { accountId } = this
    const sessionId = this.#sessionId
    if (this.#startedAt === undefined && !this.#ordered) return release(tables, accountId, sessionId)
    const seconds = this.#startedAt === undefined ? [] : [wholeSeconds(this.#startedAt, this.#stoppedAt ?? this.#startedAt)]
    await settleCall(tables, this.#books.clock, { accountId, sessionId, seconds })
  }

  #elapsed(): number {
    return (this.#books.clock.now() - (this.#startedAt ?? 0)) / 1000
  }

  #waitForNext(): void {
    const elapsed = this.#elapsed()
    const needed = this.#paid >= longestCallSeconds ? Infinity : this.#paid - aheadSeconds
    this.#ask(Math.min(needed, elapsed + signOfLifeSeconds) - elapsed)
  }

  #ask(inSeconds: number): void {
    this.#cancelTimer = this.#books.clock.after(inSeconds * 1000, () => void this.#books.tasks.track(this.#extend()))
  }

  async #extend(): Promise<void> {
    const before = this.#paid
    const known = await this.#raise()
    if (this.#stoppedAt !== undefined) return
    const left = this.#paid - this.#elapsed()
    if (this.#paid > before || this.#paid >= longestCallSeconds || left > aheadSeconds + 1) this.#waitForNext()
    else if (!known && left > 0) this.#ask(Math.min(retrySeconds, left))
    else if (!known) this.#payments?.unknown()
    else if (left > noticeSeconds + 0.5) this.#ask(left - noticeSeconds)
    else this.#runOut()
  }

  #runOut(): void {
    this.#exhausted = true
    this.#payments?.runsOut(Math.max(this.#paid - this.#elapsed(), 0) * 1000)
  }

  /** False when the purse could not be asked. */
  async #raise(): Promise<boolean> {
    const { store, clock } = this.#books
    const wish = { accountId: this.accountId, sessionId: this.#sessionId, seconds: this.#paid + sliceSeconds }
    try {
      this.#paid = await store.write((tables) => extendCall(tables, clock, wish))
      return true
    } catch (error) {
      if (this.#stoppedAt === undefined) this.#onFailure(error)
      return false
    }
  }
}

/** Throws a Problem when the money is not enough for the first pulse, the destination cannot be reached at any price, or too many run. */
export const openMeter = async (
  books: Bookkeeping,
  wish: { payer: Payer; sessionId: string; e164: string },
  onFailure: (error: unknown) => void,
): Promise<Meter> => {
  const { payer, sessionId, e164 } = wish
  const { store, clock, tasks } = books
  // Wherever it came from: a number that was dialled, an old forwarding, a phone that is listed as a device.
  if (parseNumber(e164, '')?.premium) throw new Problem('destination_blocked')
  const reserve = store.write(async (tables) => {
    const reservation = await reserveCall(tables, clock, { payer, sessionId, purpose: 'CALL', destinations: [e164] })
    await demandRoom(tables, clock, payer.id, reservation)
    return reservation
  })
  return new Meter(books, { accountId: payer.id, sessionId, paid: paidSeconds(await tasks.track(reserve)) }, onFailure)
}

/** Of an order whose money is reserved already. Throws a Problem when it is not, or not any more. */
export const orderedMeter = async (
  books: Bookkeeping,
  { accountId, sessionId }: { accountId: string; sessionId: string },
  onFailure: (error: unknown) => void,
): Promise<Meter> => {
  const reservation = await books.store.read.balances.findReservation(accountId, sessionId)
  if (reservation?.state !== 'OPEN') throw new Problem('conflict', 'The money for this call is not reserved any more.')
  return new Meter(books, { accountId, sessionId, paid: paidSeconds(reservation), ordered: true }, onFailure)
}

/** The reservation holds the lock on the account's purse, so that calls that come at once are counted one after the other. */
const demandRoom = async (tables: Tables, clock: Clock, accountId: string, { sessionId }: Reservation): Promise<void> => {
  const { open } = await tables.balances.countSessions(accountId, 'CALL', { than: sessionId, since: clock.now() })
  if (open >= mostPaidLegs) throw new Problem('rate_limited', `Only ${mostPaidLegs} paid calls run at a time.`)
}

/** Of a talk: what was answered counts for at least one second. */
export const wholeSeconds = (from: number, to: number): number => Math.max(1, Math.floor((to - from) / 1000))
