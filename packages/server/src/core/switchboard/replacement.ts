import type { Call, Taker } from '../call/call.ts'
import { endBySearch } from '../call/end.ts'
import type { Party, Role } from '../call/party.ts'
import type { Payer } from '../money/purse.ts'
import type { Cause } from '../ports/telephony.ts'
import type { Board } from './board.ts'
import type { Destination } from './destination.ts'
import { follow } from './follow.ts'
import type { Asking } from './phones.ts'
import { planDestination } from './plan-destination.ts'
import type { Outcome, Plan } from './plan.ts'
import { Search, type Identities, type Trail } from './search.ts'

export interface ReplacementOptions {
  /** Stays, hears the ringing, and is connected with whoever answers. */
  waiting: Party
  /** The phone that asked for it and leaves then; none when an assistant did. */
  leaving: Party | undefined
  /** Whose place the new one gets. */
  role: Role
  /** Somebody took the call: `plan` says where that was. */
  done: (plan: Plan) => void
  /** Nobody did: everything is as it was. */
  failed: (cause: Cause) => void
}

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
}

/** One of two who talk is replaced by somebody else who is found first; until then, and if nobody is found, nothing changes. */
export class Replacement {
  readonly #board: Board
  readonly #call: Call
  readonly #options: ReplacementOptions
  #search: Search | undefined
  #plan: Plan | undefined
  #done = false

  constructor(board: Board, call: Call, options: ReplacementOptions) {
    this.#board = board
    this.#call = call
    this.#options = options
    call.transfers += 1
    call.leaving = options.leaving
    call.move('transfer')
  }

  /** `aim` says whom to look for, or why nobody can be. */
  async run(aim: () => Promise<Aim | Cause>): Promise<void> {
    try {
      this.#call.attendance.silence()
      const outcome = await this.#seek(aim)
      if (outcome !== 'taken') this.#giveUp(outcome)
    } catch (error) {
      if (this.#done) return this.#call.fail(error)
      this.#board.onFailure(error, this.#call.id)
      this.#giveUp('failed')
    }
  }

  async #seek(aim: () => Promise<Aim | Cause>): Promise<Outcome> {
    const prepared = await this.#board.tasks.track(this.#prepare(aim))
    if (typeof prepared === 'string') return prepared
    const { search, plan, trail, seconds = Infinity, ringback } = prepared
    this.#search = search
    this.#plan = plan
    if (ringback && !this.#call.end) search.ringback.ring()
    return follow(search, plan, trail, Math.min(search.until, this.#board.clock.now() + seconds * 1000))
  }

  async #prepare(aim: () => Promise<Aim | Cause>): Promise<(Aim & { search: Search; plan: Plan }) | Cause> {
    const found = await aim()
    if (typeof found === 'string') return found
    const { destination, payer, asking, seenAs } = found
    // Rescue services are called, not handed on to: they cost nothing, and nobody is to talk for nothing by way of them.
    if (destination.kind === 'emergency') return 'forbidden'
    const { waiting } = this.#options
    const search = new Search(this.#board, this.#call, { waiting, asking, seenAs, onTaken: (by, taker) => this.#succeed(by, taker) })
    return { ...found, search, plan: await planDestination(this.#board.store.read, destination, payer, search.circumstances) }
  }

  #succeed(by: Taker, taker: Party | undefined): void {
    const { leaving, role, done } = this.#options
    const plan = this.#plan
    this.#done = true
    if (taker) taker.role = role
    this.#call.move('transferred')
    this.#call.answered(by)
    this.#call.leaving = undefined
    if (plan) this.#call.attempt(() => done(plan))
    if (leaving && this.#call.parties.includes(leaving)) this.#call.release(leaving)
    this.#call.attendance.unsilence()
  }

  #giveUp(cause: Cause): void {
    const { leaving, waiting, failed } = this.#options
    this.#call.leaving = undefined
    this.#call.move('transfer_failed')
    this.#call.attempt(() => this.#search?.ringback.stop())
    if (!leaving) this.#call.isolate(waiting.leg)
    this.#call.attempt(() => failed(cause))
    this.#call.attendance.unsilence()
    if (leaving && !this.#call.parties.includes(leaving)) this.#call.finish(endBySearch(cause))
  }
}
