import type { Call, Taker } from '../call/call.ts'
import type { Party } from '../call/party.ts'
import type { CallerIdentity, Cause } from '../ports/telephony.ts'
import type { Board } from './board.ts'
import type { Asking, Circumstances } from './phones.ts'
import { patienceSeconds, type Place, type Plan } from './plan.ts'
import { Ringback } from './ringback.ts'

/** How the caller is seen. */
export interface Identities {
  /** By phones of the same account. */
  inside: CallerIdentity
  outside: CallerIdentity
}

/** How a call came to where it is now. */
export interface Trail {
  /** The latest first. */
  diversions: readonly string[]
  hops: number
}

export interface SearchOptions {
  /** Hears the ringing, and is connected with whoever answers; nobody when an assistant calls. */
  waiting: Party | undefined
  /** On whose behalf and, where it costs, at whose account's cost somebody is called. */
  asking: Asking | undefined
  seenAs: Identities
  /** Somebody took the call; comes before anybody is connected. */
  onTaken: (by: Taker, party: Party | undefined) => void
}

/** Looking for somebody who takes a call. */
export class Search {
  readonly board: Board
  readonly call: Call
  readonly waiting: Party | undefined
  readonly asking: Asking | undefined
  readonly seenAs: Identities
  readonly ringback: Ringback
  readonly until: number
  /** A fault of ours kept somebody from being reached. */
  faulty = false
  readonly #onTaken: SearchOptions['onTaken']
  readonly #visited = new Set<string>()
  /** Accounts that the call was led to and that have not given it up. */
  readonly #path: string[] = []

  constructor(board: Board, call: Call, { waiting, asking, seenAs, onTaken }: SearchOptions) {
    this.board = board
    this.call = call
    this.waiting = waiting
    this.asking = asking
    this.seenAs = seenAs
    this.ringback = new Ringback(call, waiting)
    this.until = board.clock.now() + patienceSeconds * 1000
    this.#onTaken = onTaken
  }

  get circumstances(): Circumstances {
    const { occupancy, turns } = this.board
    return { callerOf: (accountId) => this.#seenIn(accountId), from: this.asking, occupancy, turns }
  }

  #seenIn(accountId: string): CallerIdentity {
    return this.asking?.accountId === accountId ? this.seenAs.inside : this.seenAs.outside
  }

  /** The call arrives at a place of an account. False when it was there before. */
  enter({ place, called }: Plan): boolean {
    if (!place) return true
    const key = `${place.accountId}/${place.extension}`
    if (this.#visited.has(key)) return false
    this.#visited.add(key)
    this.#path.push(place.accountId)
    this.#concern(place, called)
    return true
  }

  #concern(place: Place, called: string): void {
    const seen = this.#seenIn(place.accountId)
    const source = { number: seen.withheld ? 'anonymous' : (seen.number ?? 'anonymous'), alias: seen.withheld ? '' : seen.name }
    this.call.story.arrives({ ...place, source, target: called })
    this.call.show(place.accountId)
  }

  /** Nobody at this place takes it. */
  leave({ place }: Plan, cause: Cause): void {
    if (!place) return
    this.#path.splice(this.#path.lastIndexOf(place.accountId), 1)
    this.call.story.refused(place.accountId, cause)
    if (!this.#path.includes(place.accountId)) this.call.hideUnlessInvolved(place.accountId)
  }

  taken(by: Taker, party?: Party): void {
    const desk = party?.desk
    this.ringback.stop()
    // Its phone rang beside those of another account.
    if (desk && !this.call.story.concerns(desk.accountId))
      this.#concern({ ...desk, extension: desk.deviceId, alias: '' }, party.identity.number ?? desk.deviceId)
    this.call.host = by === 'phone' ? undefined : this.#path.at(-1)
    // Whose phone it is, and who pays for it, may have been out of the call before.
    const involved = [desk?.accountId, party?.meter?.accountId].filter((accountId) => accountId !== undefined)
    for (const accountId of involved) this.call.show(accountId)
    this.call.story.answered(new Set([...this.#path, ...involved]), desk, this.board.clock.now())
    this.#onTaken(by, party)
    for (const accountId of this.#path) this.call.hideUnlessInvolved(accountId)
  }

  /** A fault that need not be the end of it: others may still be reached. */
  note(error: unknown): void {
    this.faulty = true
    this.board.onFailure(error, this.call.id)
  }
}
