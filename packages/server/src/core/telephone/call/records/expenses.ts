import type { FundsExhausted } from '#core/money/funds-exhausted.ts'
import type { End } from '#core/kernel/ports/call-end.ts'
import { settleWithRetry } from './close-books.ts'
import type { RunningCallRecord } from './open-books.ts'
import { serviceFailure } from '../state/end.ts'
import type { Meter } from '../money/meter.ts'
import { causeOfExhaustion, promptOfExhaustion } from '../money/out-of-money.ts'
import type { Party } from '../state/party.ts'
import type { Prepaid } from '../money/prepaid.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import { languageOf } from '../state/account-language.ts'
import type { OngoingCall } from '../state/ongoing-call.ts'

/** A call that is paid for. */
export interface PaidCall extends Pick<OngoingCall, 'id' | 'parties' | 'finish' | 'finishIfOurs'> {
  readonly context: RecordWriter
  readonly books: Pick<RunningCallRecord, 'isOurs'>
  endIn(ms: number, end: End): void
  track(task: Promise<void>): void
}

/** What a call costs the accounts that pay for it: what is reserved, what is settled, and what happens when the money runs out. */
export class CallCharges {
  readonly #call: PaidCall
  #sessions = 0
  readonly #ordered: Prepaid[] = []
  readonly #settling = new Set<Prepaid>()
  /** Accounts whose money is used up. */
  readonly #poor = new Set<string>()

  constructor(call: PaidCall) {
    this.#call = call
  }

  /** The name under which a leg of the call is paid for; the first one has the call's own. */
  nextSession(): string {
    this.#sessions += 1
    return this.#sessions === 1 ? this.#call.id : `${this.#call.id}.${this.#sessions}`
  }

  /** How many names were given. */
  get sessions(): number {
    return this.#sessions
  }

  /** Of a call that another process had: what was ordered, and what may not have been settled there. */
  resume(sessions: number, all: readonly Prepaid[]): void {
    this.#sessions = sessions
    for (const money of all) {
      if (money.saved.ordered) this.#ordered.push(money)
      else if (money.over) this.#settling.add(money)
      if (!money.over) money.keep()
    }
  }

  /** What was reserved when the call was ordered, for all its parties: settled when the call is over and none of their legs runs any more. */
  owe(money: Prepaid): void {
    this.nextSession() // the first one is paid for by the order
    this.#ordered.push(money)
    money.keep()
  }

  /** Everything that is reserved for the call and not known to be settled. */
  get open(): readonly Prepaid[] {
    const ofParties = this.#call.parties.flatMap(({ meter }) => meter?.money ?? [])
    return [...new Set([...this.#ordered, ...this.#settling, ...ofParties])]
  }

  /** When there is no money left for this one, the call is over. */
  heed({ meter }: Party): void {
    meter?.notify({
      runsOut: (ms, why) => this.#runsOut(meter.accountId, ms, why),
      unknown: () => this.#call.finishIfOurs(serviceFailure),
      isOurs: (tables) => this.#call.books.isOurs(tables),
    })
  }

  /** For a leg that is over before its call is. */
  settle(meter: Meter): void {
    meter.stop()
    this.#settling.add(meter.money)
    const pay = async (): Promise<void> => {
      await settleWithRetry(this.#call.context, this.#call.id, this.#call.books, meter)
      this.#settling.delete(meter.money)
    }
    // The party that leaves is written down first.
    this.#call.track(Promise.resolve().then(pay))
  }

  /** The call is over: what was ordered for it is not waited for any more. */
  abandon(): void {
    for (const money of this.#ordered) money.abandon()
  }

  #runsOut(accountId: string, ms: number, why: FundsExhausted): void {
    if (this.#poor.has(accountId)) return
    this.#poor.add(accountId)
    const end: End = { by: 'service', reason: 'insufficient_funds', cause: causeOfExhaustion(why) }
    this.#call.endIn(ms, end)
    // A party that cannot be told why is cut off all the same, when the time is up.
    const said = sayGoodbye(this.#call, accountId, why).then(() => this.#call.finishIfOurs(end))
    said.catch((error: unknown) => this.#call.context.onFailure(error, this.#call.id))
  }
}

/** Tells the parties of the paying account, or all parties when it has none in the call, why it ends. Resolves when it was said. */
const sayGoodbye = async (call: PaidCall, payer: string, why: FundsExhausted): Promise<void> => {
  const language = await languageOf(call.context, payer)
  const { parties } = call
  const payers = parties.filter(({ station }) => station?.accountId === payer)
  const listeners = payers.length > 0 ? payers : parties
  const playing = listeners.map(({ leg }) => leg.audio.announce({ prompt: promptOfExhaustion(why), language }, { urgent: true }))
  await Promise.all(playing.map(({ done }) => done))
}
