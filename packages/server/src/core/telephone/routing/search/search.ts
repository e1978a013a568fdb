import type { End } from '#core/kernel/ports/call-end.ts'
import { endBySearch, serviceFailure } from '#core/telephone/call/state/end.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { IncomingCallHandler } from '#core/telephone/call/state/taker.ts'
import { causeOfRejection } from '#core/telephone/call/records/call-notifications.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Followed } from '#core/kernel/ports/call-guide.ts'
import type { Brief } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Bridge, CallerIdentity, Cause } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext } from './routing-context.ts'
import { pickUp } from './pick-up.ts'
import type { Asking, Circumstances } from '../plan/phones.ts'
import { maxWaitSeconds, type Place, type Plan } from '../plan/plan.ts'
import type { Identities } from '../inbound/caller-identity.ts'
import { Ringback } from './ringback.ts'
import { allFollowed, answerFollowed, endFollowed, type Answer } from './followed-calls.ts'

export interface SearchOptions {
  /** Hears the ringing, and is connected with the party that answers; undefined when an assistant calls. */
  waiting: Party | undefined
  /** On whose behalf and, where it costs, at which account's cost phones are called. */
  asking: Asking | undefined
  seenAs: Identities
  /** The number of a party that wants to be replaced. */
  replaced?: { number: string | undefined } | undefined
  /** The call was taken; comes before the parties are connected. */
  onTaken: (callHandler: IncomingCallHandler, party: Party | undefined) => void
  /** A phone rings; comes before that is heard, every time. */
  onRinging?: (() => void) | undefined
  /** Where the two hear each other; the call's own bridge unless given. */
  bridge?: (() => Bridge) | undefined
  /** Neither a voicemail nor an assistant may take it. */
  peopleOnly?: boolean
  /** Who answers has to accept first, and the waiting party hears music until then. */
  brief?: Brief | undefined
}

/** An extension on the way of a call. */
interface Stop {
  readonly accountId: string
  readonly called: string
  /** As the software of the account knows the call there. */
  followed?: Followed
}

/** The search for a party that takes a call. */
export class Search {
  readonly context: RoutingContext
  readonly call: Call
  readonly asking: Asking | undefined
  readonly ringback: Ringback
  readonly peopleOnly: boolean
  readonly brief: Brief | undefined
  readonly until: number
  /** A fault of ours kept a phone from being reached. */
  faulty = false
  #waiting: Party | undefined
  readonly #bridge: () => Bridge
  readonly #onTaken: SearchOptions['onTaken']
  readonly #replaced: SearchOptions['replaced']
  readonly #visited = new Set<string>()
  /** Where the call was led to and was not given up. */
  readonly #path: Stop[] = []
  #seenAs: Identities
  /** How long accounts' software was waited for. */
  #gapMs = 0

  constructor(context: RoutingContext, call: Call, options: SearchOptions) {
    const { waiting, bridge = () => call.bridge, onRinging = () => {}, peopleOnly = false } = options
    this.context = context
    this.call = call
    this.asking = options.asking
    this.#seenAs = options.seenAs
    this.#replaced = options.replaced
    this.peopleOnly = peopleOnly
    this.brief = options.brief
    this.ringback = new Ringback(call, { waiting, bridge, onRinging, music: options.brief !== undefined })
    this.until = context.clock.now() + maxWaitSeconds * 1000
    this.#waiting = waiting
    this.#bridge = bridge
    this.#onTaken = options.onTaken
  }

  get seenAs(): Identities {
    return this.#seenAs
  }

  /** The time as it counts for ringing and waiting. */
  get now(): number {
    return this.context.clock.now() - this.#gapMs
  }

  /** For work whose time counts neither as ringing nor as waiting. */
  async apart<T>(work: () => Promise<T>): Promise<T> {
    const before = this.context.clock.now()
    try {
      return await work()
    } finally {
      this.#gapMs += this.context.clock.now() - before
    }
  }

  /** Phones that are called meanwhile see the caller like this. */
  async showing<T>(seenAs: Identities | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#seenAs
    this.#seenAs = seenAs ?? before
    try {
      return await work()
    } finally {
      this.#seenAs = before
    }
  }

  get waiting(): Party | undefined {
    return this.#waiting
  }

  get bridge(): Bridge {
    return this.#bridge()
  }

  /** Another party waits for the answer from now on. */
  passTo(waiting: Party): void {
    this.#waiting = waiting
    this.ringback.passTo(waiting)
  }

  get circumstances(): Circumstances {
    const { occupancy, turns, clock } = this.context
    return { callerOf: (accountId) => this.#seenIn(accountId), from: this.asking, occupancy, turns, now: clock.now() }
  }

  #seenIn(accountId: string): CallerIdentity {
    return this.asking?.accountId === accountId ? this.seenAs.inside : this.seenAs.outside
  }

  /** For the history: a number, or `anonymous`. */
  callerSeenIn(accountId: string): string {
    const { number, withheld } = this.#seenIn(accountId)
    return withheld ? 'anonymous' : (number ?? 'anonymous')
  }

  /** The call arrives at an extension of an account. False when it was there before. */
  enter({ place, called }: Plan): boolean {
    if (!place) return true
    const { accountId, extension } = place
    const key = `${accountId}/${extension}`
    if (this.#visited.has(key)) return false
    this.#visited.add(key)
    this.#path.push({ accountId, called })
    this.#concern(place, called)
    return true
  }

  #concern(place: Place, called: string): void {
    const seen = this.#seenIn(place.accountId)
    const source = { number: this.callerSeenIn(place.accountId), alias: seen.withheld ? '' : seen.name }
    this.call.details.arrives({ ...place, source, target: called })
    this.call.accounts.show(place.accountId)
  }

  /** Who forwarded or transferred the call to where it is now: an extension before, or a party. Undefined when it came directly. */
  get forwardedBy(): { number: string | undefined } | undefined {
    const before = this.#path.at(-2)
    return before ? { number: before.called } : this.#replaced
  }

  /** The software of the account to which the call came last knows it like this. */
  follows(followed: Followed): void {
    const here = this.#path.at(-1)
    if (!here) return
    here.followed = followed
    this.call.details.follow(here.accountId, followed)
  }

  /** The extension to which the call came last forwards it. */
  forward(): void {
    endFollowed(this.call, this.#path.at(-1)?.followed, 'forwarded')
  }

  /** The call is not taken at this extension. */
  leave({ place }: Plan, cause: Cause): void {
    if (!place) return
    const [stop] = this.#path.splice(
      this.#path.findLastIndex(({ accountId }) => accountId === place.accountId),
      1,
    )
    this.call.details.rejected(place.accountId, cause)
    // If the call is not over because of it, this is the only moment to say so.
    if (this.#path.length > 0 || this.#replaced) endFollowed(this.call, stop?.followed, causeOfRejection(cause))
    if (!this.#isOnPath(place.accountId)) this.call.accounts.hideUnlessInvolved(place.accountId)
  }

  #isOnPath(accountId: string): boolean {
    return this.#path.some((stop) => stop.accountId === accountId)
  }

  taken(callHandler: IncomingCallHandler, party?: Party): void {
    const station = party?.station
    this.ringback.stop()
    // Its phone rang beside those of another account.
    if (station && !this.call.details.concerns(station.accountId))
      this.#concern({ ...station, extension: station.deviceId, alias: '' }, party.identity.number ?? station.deviceId)
    if (party) party.calledAs = this.#path[0]?.called
    const here = this.#path.at(-1)
    const passed = this.#path.map(({ accountId }) => accountId)
    // Whose phone it is, and who pays for it, may have been out of the call before.
    const involved = [station?.accountId, party?.meter?.accountId].filter((accountId) => accountId !== undefined)
    for (const accountId of involved) this.call.accounts.show(accountId)
    this.call.details.answered(new Set([...passed, ...involved]), station, this.context.clock.now())
    const number = party?.identity.number ?? here?.called ?? ''
    answerFollowed(this.call, [...this.#answersToCallers(number), ...this.#answersOnTheWay(number)], station)
    this.#onTaken(callHandler, party)
    for (const accountId of passed) this.call.accounts.hideUnlessInvolved(accountId)
  }

  /** For callers, the number that they called has answered. */
  #answersToCallers(number: string): Answer[] {
    const calling = allFollowed(this.call).filter(({ call }) => call.direction === 'out')
    return calling.map((followed) => ({ followed, number: this.#path[0]?.called ?? number }))
  }

  #answersOnTheWay(number: string): Answer[] {
    return this.#path.flatMap(({ followed }, place) => (followed ? { followed, number: this.#path[place + 1]?.called ?? number } : []))
  }

  /** The software of the called or the calling account answers the caller and looks for a callee itself. */
  async takenBySoftware(of: 'callee' | 'caller'): Promise<void> {
    if (!this.waiting || this.waiting.leg.answered) return
    if (of === 'callee') {
      this.call.details.answered([], undefined, this.context.clock.now())
      answerFollowed(this.call, this.#answersToCallers(''), undefined)
    }
    this.call.answered({ kind: 'software' })
    await pickUp(this.waiting.leg)
  }

  /** What it means for the call that it was not taken. */
  endOf(cause: Cause): End {
    return this.faulty && cause === 'failed' ? serviceFailure : endBySearch(cause)
  }

  /** A fault that need not be the end of it: others may still be reached. */
  note(error: unknown): void {
    this.faulty = true
    this.context.onFailure(error, this.call.id)
  }
}
