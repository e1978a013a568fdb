import type { FundsExhausted } from '#core/money/funds-exhausted.ts'
import type { End } from '#core/kernel/ports/calls.ts'
import { settleWithRetry } from './settle-call.ts'
import { serviceFailure } from '../state/end.ts'
import { type Meter, causeOfExhaustion, promptOfExhaustion } from '../money/meter.ts'
import type { Party } from '../state/party.ts'
import type { Prepaid } from '../money/prepaid.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import { languageOf } from '../state/account-language.ts'
import type { CallLife } from '../state/call-life.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

interface ChargeDeps {
  readonly life: CallLife
  readonly writer: RecordWriter
  readonly parties: () => readonly Party[]
  /** Part of a transaction: whether this node owns the call. */
  readonly isOurs: (tables: Tables) => Promise<boolean>
}

/** Charges of a call: reservations, settlement, and the end when funds run out. */
export class CallCharges {
  readonly #deps: ChargeDeps
  #sessions = 0
  readonly #ordered: Prepaid[] = []
  readonly #settling = new Set<Prepaid>()
  /** Accounts whose funds are exhausted. */
  readonly #poor = new Set<string>()

  constructor(deps: ChargeDeps) {
    this.#deps = deps
  }

  /** Session name of the next paid leg; the first one uses the call id. */
  nextSession(): string {
    this.#sessions += 1
    const { id } = this.#deps.life
    return this.#sessions === 1 ? id : `${id}.${this.#sessions}`
  }

  /** Number of session names used. */
  get sessions(): number {
    return this.#sessions
  }

  /** After a takeover: reservations of originate requests, and those the previous node may not have settled. */
  resume(sessions: number, all: readonly Prepaid[]): void {
    this.#sessions = sessions
    for (const money of all) {
      if (money.saved.ordered) this.#ordered.push(money)
      else if (money.over) this.#settling.add(money)
      if (!money.over) money.keep()
    }
  }

  /** Reservation of an originate request for all its parties; settled when the call and all their legs have ended. */
  owe(money: Prepaid): void {
    this.nextSession() // the originate request pays for the first session
    this.#ordered.push(money)
    money.keep()
  }

  /** All reservations not known to be settled. */
  get open(): readonly Prepaid[] {
    const ofParties = this.#deps.parties().flatMap(({ meter }) => meter?.money ?? [])
    return [...new Set([...this.#ordered, ...this.#settling, ...ofParties])]
  }

  /** Ends the call when the funds for this party run out. */
  heed({ meter }: Party): void {
    meter?.notify({
      runsOut: (ms, why) => this.#runsOut(meter.accountId, ms, why),
      unknown: () => this.#deps.life.finishIfOurs(serviceFailure),
      isOurs: this.#deps.isOurs,
    })
  }

  /** For a leg that ends before its call. */
  settle(meter: Meter): void {
    meter.stop()
    this.#settling.add(meter.money)
    const { life, writer, isOurs } = this.#deps
    const pay = async (): Promise<void> => {
      await settleWithRetry(writer, life.id, isOurs, meter)
      this.#settling.delete(meter.money)
    }
    // The leaving party is recorded first.
    life.track(Promise.resolve().then(pay))
  }

  /** Abandons the reservations of originate requests at the end of the call. */
  abandon(): void {
    for (const money of this.#ordered) money.abandon()
  }

  #runsOut(accountId: string, ms: number, why: FundsExhausted): void {
    if (this.#poor.has(accountId)) return
    this.#poor.add(accountId)
    const { life } = this.#deps
    const end: End = { by: 'service', reason: 'insufficient_funds', cause: causeOfExhaustion(why) }
    life.endIn(ms, end)
    // The timer ends the call even if the prompt cannot be played.
    const said = sayGoodbye(this.#deps, accountId, why).then(() => life.finishIfOurs(end))
    said.catch((error: unknown) => life.report(error))
  }
}

/** Plays the reason to the parties of the paying account, or to all parties if it has none. Resolves when playback ends. */
const sayGoodbye = async ({ writer, parties }: ChargeDeps, payer: string, why: FundsExhausted): Promise<void> => {
  const language = await languageOf(writer, payer)
  const present = parties()
  const payers = present.filter(({ station }) => station?.accountId === payer)
  const listeners = payers.length > 0 ? payers : present
  const playing = listeners.map(({ leg }) => leg.audio.announce({ prompt: promptOfExhaustion(why), language }, { urgent: true }))
  await Promise.all(playing.map(({ done }) => done))
}
