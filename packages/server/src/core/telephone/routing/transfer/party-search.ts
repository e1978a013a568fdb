import type { Call } from '#core/telephone/call/call.ts'
import type { IncomingCallHandler } from '#core/telephone/call/state/assistant-party.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Bridge } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext, DialTarget } from '../search/routing-context.ts'
import { follow } from '../answer/follow.ts'
import { planDestination } from '../plan/plan-place.ts'
import type { Outcome, Plan } from '../plan/plan.ts'
import { Search } from '../search/search.ts'

interface TransferSearchOptions {
  /** Hears ringback and is connected with the party that answers. */
  waiting: Party
  /** The target answered; `plan` says where. */
  taken: (callHandler: IncomingCallHandler, party: Party | undefined, plan: Plan) => void
  /** Called each time a phone rings, before ringback is heard. */
  ringing?: (() => void) | undefined
  /** Default: the call's own bridge. */
  bridge?: () => Bridge
  peopleOnly?: boolean
}

/** The search for a new party during an active call. */
export class TransferSearch {
  readonly #context: RoutingContext
  readonly #call: Call
  readonly #options: TransferSearchOptions
  #waiting: Party
  #search: Search | undefined
  #plan: Plan | undefined

  constructor(context: RoutingContext, call: Call, options: TransferSearchOptions) {
    this.#context = context
    this.#call = call
    this.#options = options
    this.#waiting = options.waiting
  }

  async run(aim: DialTarget): Promise<Outcome> {
    // An emergency number is not a transfer target: it is free and would allow free calls.
    if (aim.destination.kind === 'emergency') return 'forbidden'
    const { destination, payer, diverted, seconds = Infinity } = aim
    const { clock, store, tasks } = this.#context
    const until = clock.now() + seconds * 1000
    const search = this.#begin(aim)
    const plan = await tasks.track(planDestination(store.read, destination, payer, search.circumstances))
    this.#plan = plan
    if (aim.ringback && !this.#call.end) search.ringback.ring()
    return follow(search, plan, diverted, Math.min(search.until, until))
  }

  /** Changes the waiting party. */
  passTo(waiting: Party): void {
    this.#waiting = waiting
    this.#search?.passTo(waiting)
  }

  stopRinging(): void {
    this.#search?.ringback.stop()
  }

  #begin({ asking, seenAs, brief }: DialTarget): Search {
    const { taken, ringing, bridge, peopleOnly = false } = this.#options
    const { outside } = seenAs
    this.#search = new Search(this.#context, this.#call, {
      waiting: this.#waiting,
      asking,
      seenAs,
      onTaken: (callHandler, party) => this.#plan && taken(callHandler, party, this.#plan),
      onRinging: ringing,
      replaced: { number: outside.withheld ? undefined : outside.number },
      bridge,
      peopleOnly: peopleOnly || brief !== undefined,
      brief,
    })
    return this.#search
  }
}
