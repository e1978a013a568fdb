import type { Call, Taker } from '#core/telephone/call/call.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Payer } from '#core/money/rates.ts'
import type { Bridge } from '#core/kernel/ports/telephony.ts'
import type { Board } from '../find/board.ts'
import type { Destination } from '../arrive/destination.ts'
import { follow } from '../take/follow.ts'
import type { Asking } from '../plan/phones.ts'
import { planDestination } from '../plan/plan-destination.ts'
import type { Outcome, Plan } from '../plan/plan.ts'
import { Search, type Identities, type Trail } from '../find/search.ts'

/** Who is to be found, and how. */
export interface Aim {
  destination: Destination
  payer: Payer
  asking: Asking
  seenAs: Identities
  trail: Trail
  /** How long somebody is looked for; as long as any caller waits when missing. */
  seconds?: number
  /** Heard at once, because whoever asked is not to be heard any more. */
  ringback?: true
  /** What the phone of the one who waits dials if it is asked to call there itself; missing when it is not to be. */
  refer?: string
}

export interface SeekingOptions {
  /** Hears the ringing, and is connected with whoever answers. */
  waiting: Party
  /** Somebody has taken it: `plan` says where that was. */
  taken: (by: Taker, taker: Party | undefined, plan: Plan) => void
  /** Somebody rings; comes before that is heard, every time. */
  ringing?: (() => void) | undefined
  /** Where the two hear each other; where everybody in the call does unless given. */
  bridge?: () => Bridge
  peopleOnly?: boolean
}

/** Looking for somebody else while people talk already. */
export class Seeking {
  readonly #board: Board
  readonly #call: Call
  readonly #options: SeekingOptions
  #waiting: Party
  #search: Search | undefined
  #plan: Plan | undefined

  constructor(board: Board, call: Call, options: SeekingOptions) {
    this.#board = board
    this.#call = call
    this.#options = options
    this.#waiting = options.waiting
  }

  async run(aim: Aim): Promise<Outcome> {
    // Rescue services are called, not handed on to: they cost nothing, and nobody is to talk for nothing by way of them.
    if (aim.destination.kind === 'emergency') return 'forbidden'
    const { destination, payer, trail, seconds = Infinity } = aim
    const { clock, store, tasks } = this.#board
    const until = clock.now() + seconds * 1000
    const search = this.#begin(aim)
    const plan = await tasks.track(planDestination(store.read, destination, payer, search.circumstances))
    this.#plan = plan
    if (aim.ringback && !this.#call.end) search.ringback.ring()
    return follow(search, plan, trail, Math.min(search.until, until))
  }

  /** Somebody else waits for the answer from now on. */
  passTo(waiting: Party): void {
    this.#waiting = waiting
    this.#search?.passTo(waiting)
  }

  stopRinging(): void {
    this.#search?.ringback.stop()
  }

  #begin({ asking, seenAs }: Aim): Search {
    const { taken, ringing, bridge, peopleOnly = false } = this.#options
    const { outside } = seenAs
    this.#search = new Search(this.#board, this.#call, {
      waiting: this.#waiting,
      asking,
      seenAs,
      onTaken: (by, taker) => this.#plan && taken(by, taker, this.#plan),
      onRinging: ringing,
      replaced: { number: outside.withheld ? undefined : outside.number },
      bridge,
      peopleOnly,
    })
    return this.#search
  }
}
