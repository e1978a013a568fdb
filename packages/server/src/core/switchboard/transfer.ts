import type { Call } from '../call/call.ts'
import { endBySearch } from '../call/end.ts'
import type { Desk } from '../call/occupancy.ts'
import type { Party } from '../call/party.ts'
import type { Cause, CallerIdentity, TransferAsked } from '../ports/telephony.ts'
import type { Board } from './board.ts'
import { identitiesOf } from './caller-identity.ts'
import { follow } from './follow.ts'
import { planDestination } from './plan-destination.ts'
import type { Outcome } from './plan.ts'
import { readDialled } from './request.ts'
import { Search } from './search.ts'

const mostTransfers = 3

/** Why somebody in a call cannot be replaced now; undefined when that is possible. */
export const transferRefused = (call: Call, { desk, trusted }: Party): Cause | undefined => {
  if (!trusted || !desk) return 'forbidden'
  if (call.state !== 'active' || call.parties.length !== 2) return 'not_acceptable'
  return call.transfers >= mostTransfers ? 'loop' : undefined
}

/**
 * A phone asks that the other one be connected with somebody else. Its account pays and must be allowed to, as if it called there itself.
 * It stays in the call until somebody has answered; if nobody does, the two go on talking.
 */
export const transferBlind = async (board: Board, call: Call, party: Party, asked: TransferAsked, dialled: string): Promise<void> => {
  const refused = transferRefused(call, party)
  const waiting = call.parties.find((other) => other !== party)
  if (refused || !waiting || !party.desk) return call.attempt(() => asked.failed(refused ?? 'not_acceptable'))
  call.transfers += 1
  call.leaving = party
  call.move('transfer')
  call.attempt(() => asked.trying())
  call.attendance.silence()
  const attempt = new Replacement(board, call, { party, waiting, desk: party.desk, asked })
  await attempt.run(dialled)
}

interface Roles {
  party: Party
  waiting: Party
  desk: Desk
  asked: TransferAsked
}

class Replacement {
  readonly #board: Board
  readonly #call: Call
  readonly #roles: Roles
  #search: Search | undefined
  #done = false

  constructor(board: Board, call: Call, roles: Roles) {
    this.#board = board
    this.#call = call
    this.#roles = roles
  }

  async run(dialled: string): Promise<void> {
    try {
      const outcome = await this.#seek(dialled)
      if (outcome !== 'taken') this.#giveUp(outcome)
    } catch (error) {
      if (this.#done) return this.#call.fail(error)
      this.#board.onFailure(error, this.#call.id)
      this.#giveUp('failed')
    }
  }

  async #seek(dialled: string): Promise<Outcome> {
    const { read } = this.#board.store
    const { desk, waiting } = this.#roles
    const prepare = async () => {
      const [account, device] = await Promise.all([read.accounts.find(desk.accountId), read.devices.find(desk.accountId, desk.deviceId)])
      if (!account || !device) return 'forbidden'
      const destination = await readDialled(read, account, device, dialled)
      if (typeof destination === 'string') return destination
      // Rescue services are called, not handed on to: they cost nothing, and nobody is to talk for nothing by way of them.
      if (destination.kind === 'emergency') return 'forbidden'
      const { outside } = await identitiesOf(read, account, device, { withheld: false })
      const search = this.#newSearch(desk, waiting, outside)
      return { search, plan: await planDestination(read, destination, account, search.circumstances) }
    }
    const prepared = await this.#board.tasks.track(prepare())
    if (typeof prepared === 'string') return prepared
    const { search, plan } = prepared
    this.#search = search
    return follow(search, plan, { diversions: [], hops: 0 }, search.until)
  }

  /** Phones of the account see whom they will talk to; others see the number that they would see if they were called. */
  #newSearch(asking: Desk, waiting: Party, outside: CallerIdentity): Search {
    const { identity } = waiting
    const inside = identity.withheld ? { number: undefined, name: '', withheld: true } : identity
    const onTaken = (by: Parameters<Call['answered']>[0], taker: Party | undefined): void => this.#succeed(by, taker)
    return new Search(this.#board, this.#call, { waiting, asking, seenAs: { inside, outside }, onTaken })
  }

  #succeed(by: Parameters<Call['answered']>[0], taker: Party | undefined): void {
    const { party, asked } = this.#roles
    this.#done = true
    if (taker) taker.role = party.role
    this.#call.move('transferred')
    this.#call.answered(by)
    this.#call.leaving = undefined
    this.#call.attempt(() => asked.done())
    if (this.#call.parties.includes(party)) this.#call.release(party)
    this.#call.attendance.unsilence()
  }

  #giveUp(cause: Cause): void {
    const { party, asked } = this.#roles
    this.#call.leaving = undefined
    this.#call.move('transfer_failed')
    this.#call.attempt(() => asked.failed(cause))
    this.#call.attempt(() => this.#search?.ringback.stop())
    this.#call.attendance.unsilence()
    if (!this.#call.parties.includes(party)) this.#call.finish(endBySearch(cause))
  }
}
