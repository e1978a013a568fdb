import { extendCall, release, settleCall, stopReason } from '#core/money/reservations.ts'
import { endlessSeconds, type Span } from '#core/money/rating.ts'
import type { FundsExhausted } from '#core/money/funds-exhausted.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'

/** Something that money was reserved for. `settle` is part of a transaction, which may run again. */
export interface Payable {
  settle(tables: Tables): Promise<void>
}

/** Who has to do something when the money of a running call is at its end. */
export interface Payments {
  /** What is paid for is over in `ms`, and there is no more. */
  runsOut(ms: number, why: FundsExhausted): void
  /** The purse could not be asked in time whether there is more. */
  unknown(): void
  /** Part of a transaction: false when another process has the call, which alone may ask for more. */
  isOurs(tables: Tables): Promise<boolean>
}

/** When a leg was answered and when it was over. */
export interface LegTimes {
  readonly startedAt: number | undefined
  readonly stoppedAt: number | undefined
}

/** A leg that is paid for. */
export interface PaidLeg extends LegTimes {
  /** Who is told when the money is at its end. */
  readonly payments: Payments | undefined
  stop(): void
}

/** Money that was reserved. */
export interface Held {
  accountId: string
  sessionId: string
  /** Seconds of talk. */
  paid: number
  /** It belongs to an order: whatever comes of it, the same order is not carried out again. */
  ordered?: true
}

/** What is needed to settle it when this process is gone. */
export interface SavedMeter {
  accountId: string
  sessionId: string
  ordered: boolean
  /** In the order in which they were reserved for. */
  legs: readonly LegTimes[]
}

/** One leg of a saved meter. */
export interface SavedMeterPlace {
  sessionId: string
  leg: number
}

/** Asked for more this long before the end of what is paid … */
const aheadSeconds = 10
/** … and told this long before it, so that there is time for a sentence. */
const noticeSeconds = 6
/** A reservation that is not heard of for five minutes is given back. */
const signOfLifeSeconds = 240
const sliceSeconds = 60
const retrySeconds = 2

/**
 * A reservation for one leg, or for the two of a call that was ordered: extended while one of them lasts, settled once, when all are over.
 * Its seconds count from when the first leg was answered.
 */
export class Prepaid implements Payable {
  readonly accountId: string
  readonly #held: Held
  readonly #books: RecordWriter
  readonly #onFailure: (error: unknown) => void
  readonly #legs: PaidLeg[] = []
  #paid: number
  #abandoned = false
  /** Why nothing was added when more was asked for last. */
  #scarcity: FundsExhausted = 'balance'
  /** There is no more money: it was said already. */
  #exhausted = false
  #cancelTimer: () => void = () => {}

  constructor(books: RecordWriter, held: Held, onFailure: (error: unknown) => void) {
    this.accountId = held.accountId
    this.#held = held
    this.#paid = held.paid
    this.#books = books
    this.#onFailure = onFailure
  }

  get clock(): Clock {
    return this.#books.clock
  }

  /** In the order of the destinations that were reserved for. */
  add(leg: PaidLeg): void {
    this.#legs.push(leg)
  }

  placeOf(leg: PaidLeg): SavedMeterPlace {
    return { sessionId: this.#held.sessionId, leg: this.#legs.indexOf(leg) }
  }

  /** Keeps the reservation until it is settled; from the first answer on it grows. */
  keep(): void {
    this.#cancelTimer()
    this.#waitForNext()
  }

  /** No more legs are dialled at its cost. */
  abandon(): void {
    this.#abandoned = true
    for (const leg of this.#legs) if (leg.startedAt === undefined) leg.stop()
    this.legStopped()
  }

  legStopped(): void {
    if (this.over) this.#cancelTimer()
  }

  /** Also of what was said before. */
  notify({ payments }: PaidLeg): void {
    if (this.#exhausted) payments?.runsOut(this.#msLeft, this.#scarcity)
  }

  /** An order is not over before its call is, even if no leg of it costs anything. */
  get over(): boolean {
    return (this.#abandoned || !this.#held.ordered) && this.#legs.every(({ stoppedAt }) => stoppedAt !== undefined)
  }

  get saved(): SavedMeter {
    const { accountId, sessionId, ordered = false } = this.#held
    return { accountId, sessionId, ordered, legs: this.#legs.map(({ startedAt, stoppedAt }) => ({ startedAt, stoppedAt })) }
  }

  /** Taking money twice is what the table does not allow. */
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

  /** False when the purse could not be asked. */
  async #raise(): Promise<boolean> {
    const { store, clock } = this.#books
    const { accountId, sessionId } = this.#held
    const seconds = this.#startedAt === undefined ? this.#paid : this.#paid + sliceSeconds
    const input = { accountId, sessionId, seconds, spans: this.#spans() }
    try {
      this.#paid = await store.write(async (tables) => {
        for (const { payments } of this.#legs) if (payments && !(await payments.isOurs(tables))) throw new NotOurs()
        const paid = await extendCall(tables, clock, input)
        if (paid <= this.#paid) this.#scarcity = await stopReason(tables, clock, { ...input, seconds: paid })
        return paid
      })
      return true
    } catch (error) {
      if (error instanceof NotOurs) this.#notifyAll((payments) => payments.unknown())
      else if (!this.over) this.#onFailure(error)
      return false
    }
  }

  /** A leg that is not answered yet is paid for as if it were answered now. */
  #spans(): Span[] {
    return this.#legs.map(({ startedAt, stoppedAt }) => {
      const from = Math.floor(this.#secondsAt(startedAt ?? this.clock.now()))
      if (stoppedAt === undefined) return { from, to: Infinity }
      return { from, to: startedAt === undefined ? from : from + wholeSeconds(startedAt, stoppedAt) }
    })
  }
}

/** Another process has the call. */
class NotOurs extends Error {}

/** A leg that still ran is paid for until `until`. */
export const settleMeter = async (tables: Tables, clock: Clock, meter: SavedMeter, until: number): Promise<void> => {
  const { accountId, sessionId, ordered, legs } = meter
  if (!ordered && legs.every(({ startedAt }) => startedAt === undefined)) return release(tables, accountId, sessionId)
  const seconds = legs.map(({ startedAt, stoppedAt = until }) => (startedAt === undefined ? 0 : wholeSeconds(startedAt, stoppedAt)))
  await settleCall(tables, clock, { accountId, sessionId, seconds })
}

/** Of a talk: what was answered counts for at least one second. */
export const wholeSeconds = (from: number, to: number): number => Math.max(1, Math.floor((to - from) / 1000))
