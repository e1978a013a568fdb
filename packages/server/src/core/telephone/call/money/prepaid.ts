import { extendCall, release, settleCall, stopReason } from '#core/money/reservations.ts'
import { endlessSeconds, maxSeconds, talkCost, type Span } from '#core/money/rating.ts'
import type { CallFunds } from '#core/money/call-funds.ts'
import type { CreditWhileAway } from '#core/money/credit-while-away.ts'
import type { FundsExhausted } from '#core/money/funds-exhausted.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { isAway, type RecordWriter } from '#core/kernel/work/write-with-retry.ts'

/** An item with a reservation. `settle` is part of a transaction, which may be retried. */
export interface Payable {
  settle(tables: Tables): Promise<void>
}

/** Listener for exhausted funds of a running call. */
export interface Payments {
  /** Paid time ends in `ms` and cannot be extended. */
  runsOut(ms: number, why: FundsExhausted): void
  /** The balance could not be queried in time. */
  unknown(): void
  /** Part of a transaction. False when another node owns the call; only the owner may extend the reservation. */
  isOurs(tables: Tables): Promise<boolean>
}

export interface LegTimes {
  readonly startedAt: number | undefined
  readonly stoppedAt: number | undefined
}

export interface PaidLeg extends LegTimes {
  /** Listener for exhausted funds. */
  readonly payments: Payments | undefined
  stop(): void
}

/** A reservation. */
interface Held {
  accountId: string
  sessionId: string
  /** Paid seconds of talk. */
  paid: number
  funds?: CallFunds | undefined
  /** Amount held for it while the database was unreachable. */
  held?: number | undefined
  /** Belongs to an originate request, which is never repeated, whatever its outcome. */
  ordered?: true
}

/** State another node needs to settle the reservation. */
export interface SavedMeter {
  accountId: string
  sessionId: string
  ordered: boolean
  /** In the order of the reserved destinations. */
  legs: readonly LegTimes[]
  /** Amount held for it while the database was unreachable. */
  held?: number
}

/** `credit`: undefined where running calls get none while the database is unreachable. */
export interface Bookkeeping extends RecordWriter {
  credit?: CreditWhileAway | undefined
}

export interface SavedMeterPlace {
  sessionId: string
  leg: number
}

/** Seconds before the end of paid time at which the reservation is extended. */
const aheadSeconds = 10
/** Seconds before the end of paid time at which the prompt plays. */
const noticeSeconds = 6
/** Reservations without a heartbeat for five minutes are released. */
const signOfLifeSeconds = 240
const sliceSeconds = 60
const retrySeconds = 2

/**
 * Reservation for one leg, or for both legs of an originated call: extended while a leg lasts, settled once when all have ended.
 * Paid seconds count from the first answer.
 */
export class Prepaid implements Payable {
  readonly accountId: string
  readonly #held: Held
  readonly #books: Bookkeeping
  readonly #onFailure: (error: unknown) => void
  readonly #legs: PaidLeg[] = []
  #paid: number
  #funds: CallFunds | undefined
  /** Total amount held while the database was unreachable; 0 if it never was. */
  #heldAway: number
  #abandoned = false
  /** Reason why the last extension added nothing. */
  #scarcity: FundsExhausted = 'balance'
  /** Funds are exhausted; listeners were notified. */
  #exhausted = false
  #cancelTimer: () => void = () => {}

  constructor(books: Bookkeeping, held: Held, onFailure: (error: unknown) => void) {
    this.accountId = held.accountId
    this.#held = held
    this.#paid = held.paid
    this.#heldAway = held.held ?? 0
    this.#books = books
    this.#onFailure = onFailure
    this.#confirm(held.funds)
  }

  get clock(): Clock {
    return this.#books.clock
  }

  /** In the order of the reserved destinations. */
  add(leg: PaidLeg): void {
    this.#legs.push(leg)
  }

  placeOf(leg: PaidLeg): SavedMeterPlace {
    return { sessionId: this.#held.sessionId, leg: this.#legs.indexOf(leg) }
  }

  /** Keeps the reservation alive until it is settled, and extends it from the first answer on. */
  keep(): void {
    this.#cancelTimer()
    this.#waitForNext()
  }

  /** Stops legs that were not answered; no further legs are dialled on this reservation. */
  abandon(): void {
    this.#abandoned = true
    for (const leg of this.#legs) if (leg.startedAt === undefined) leg.stop()
    this.legStopped()
  }

  legStopped(): void {
    if (!this.over) return
    this.#cancelTimer()
    this.#books.credit?.end(this.#held)
  }

  /** Repeats a notification sent before the listener was set. */
  notify({ payments }: PaidLeg): void {
    if (this.#exhausted) payments?.runsOut(this.#msLeft, this.#scarcity)
  }

  /** An originate request ends with its call, even if none of its legs costs anything. */
  get over(): boolean {
    return (this.#abandoned || !this.#held.ordered) && this.#legs.every(({ stoppedAt }) => stoppedAt !== undefined)
  }

  get saved(): SavedMeter {
    const { accountId, sessionId, ordered = false } = this.#held
    const legs = this.#legs.map(({ startedAt, stoppedAt }) => ({ startedAt, stoppedAt }))
    return { accountId, sessionId, ordered, legs, ...(this.#heldAway > 0 && { held: this.#heldAway }) }
  }

  /** The table rejects a second charge. */
  async settle(tables: Tables): Promise<void> {
    if (!this.over) return
    await settleMeter(tables, this.clock, this.saved, this.clock.now())
  }

  get #startedAt(): number | undefined {
    const begun = this.#legs.flatMap(({ startedAt }) => startedAt ?? [])
    return begun.length > 0 ? Math.min(...begun) : undefined
  }

  get #elapsed(): number {
    return this.#secondsAt(this.clock.now())
  }

  get #msLeft(): number {
    return Math.max(this.#paid - this.#elapsed, 0) * 1000
  }

  #secondsAt(at: number): number {
    return (at - (this.#startedAt ?? at)) / 1000
  }

  #waitForNext(): void {
    const elapsed = this.#elapsed
    const endless = this.#startedAt === undefined || this.#paid >= endlessSeconds
    const needed = endless ? Infinity : this.#paid - aheadSeconds
    this.#ask(Math.min(needed, elapsed + signOfLifeSeconds) - elapsed)
  }

  #ask(inSeconds: number): void {
    this.#cancelTimer = this.clock.after(inSeconds * 1000, () => void this.#books.tasks.track(this.#extend()))
  }

  async #extend(): Promise<void> {
    const before = this.#paid
    const known = await this.#raise()
    if (this.over) return
    const left = this.#paid - this.#elapsed
    if (this.#paid > before || this.#paid >= endlessSeconds || left > aheadSeconds + 1) this.#waitForNext()
    else if (!known && left > 0) this.#ask(Math.min(retrySeconds, left))
    else if (!known) this.#notifyAll((payments) => payments.unknown())
    else if (left > noticeSeconds + 0.5) this.#ask(left - noticeSeconds)
    else this.#runOut()
  }

  #runOut(): void {
    this.#exhausted = true
    this.#notifyAll((payments) => payments.runsOut(this.#msLeft, this.#scarcity))
  }

  #notifyAll(notify: (payments: Payments) => void): void {
    for (const { payments, stoppedAt } of this.#legs) if (payments && stoppedAt === undefined) notify(payments)
  }

  /** False when the balance could not be queried. */
  async #raise(): Promise<boolean> {
    const { store, clock } = this.#books
    const { accountId, sessionId } = this.#held
    // The node that had the call before may have gone ahead of its reservation.
    const seconds = this.#startedAt === undefined ? this.#paid : Math.max(this.#paid, Math.ceil(this.#elapsed)) + sliceSeconds
    const input = { accountId, sessionId, seconds, spans: this.#spans() }
    try {
      const { seconds: paid, funds } = await store.write(async (tables) => {
        for (const { payments } of this.#legs) if (payments && !(await payments.isOurs(tables))) throw new NotOurs()
        const extended = await extendCall(tables, clock, input)
        if (extended.seconds <= this.#paid) this.#scarcity = await stopReason(tables, clock, { ...input, seconds: extended.seconds })
        return extended
      })
      this.#paid = paid
      if (!this.over) this.#confirm(funds)
      return true
    } catch (error) {
      if (error instanceof NotOurs) this.#notifyAll((payments) => payments.unknown())
      else if (!this.over) this.#onFailure(error)
      if (isAway(error) && !this.over) await this.#goAhead(input)
      return false
    }
  }

  #confirm(funds: CallFunds | undefined): void {
    this.#funds = funds
    if (funds) this.#books.credit?.confirm(this.#held, funds)
  }

  /** Holds money for further seconds without the database. */
  async #goAhead({ seconds, spans }: { seconds: number; spans: readonly Span[] }): Promise<void> {
    const { credit } = this.#books
    const funds = this.#funds
    if (!credit || !funds || this.#startedAt === undefined) return
    const until = Math.floor(this.#elapsed + credit.secondsLeft)
    const held = Math.max(funds.amount, this.#heldAway)
    const cost = Math.min(talkCost(funds.legs, Math.min(seconds, until), spans), funds.maxAmount)
    this.#heldAway = await credit.raise(this.#held, funds, { held, more: cost - held })
    this.#paid = Math.max(this.#paid, Math.min(maxSeconds(funds.legs, this.#heldAway, spans), until))
  }

  /** An unanswered leg is priced as if answered now. */
  #spans(): Span[] {
    return this.#legs.map(({ startedAt, stoppedAt }) => {
      const from = Math.floor(this.#secondsAt(startedAt ?? this.clock.now()))
      if (stoppedAt === undefined) return { from, to: Infinity }
      return { from, to: startedAt === undefined ? from : from + wholeSeconds(startedAt, stoppedAt) }
    })
  }
}

/** Another node owns the call. */
class NotOurs extends Error {}

/** A leg still running is charged up to `until`. */
export const settleMeter = async (tables: Tables, clock: Clock, meter: SavedMeter, until: number): Promise<void> => {
  const { accountId, sessionId, ordered, legs, held } = meter
  if (!ordered && legs.every(({ startedAt }) => startedAt === undefined)) return release(tables, accountId, sessionId)
  const seconds = legs.map(({ startedAt, stoppedAt = until }) => (startedAt === undefined ? 0 : wholeSeconds(startedAt, stoppedAt)))
  await settleCall(tables, clock, { accountId, sessionId, seconds, ...(held !== undefined && { held }) })
}

/** Talk time in whole seconds; an answered leg counts at least one. */
export const wholeSeconds = (from: number, to: number): number => Math.max(1, Math.floor((to - from) / 1000))
