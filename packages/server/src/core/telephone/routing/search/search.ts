import type { End, Followed, HangupCause } from '#core/kernel/ports/calls.ts'
import { endBySearch, serviceFailure } from '#core/telephone/call/state/end.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { IncomingCallHandler } from '#core/telephone/call/state/assistant-party.ts'
import { causeOfRejection, notifyHangup } from '#core/telephone/call/records/call-notifications.ts'
import type { Party, Station, Role } from '#core/telephone/call/state/party.ts'
import type { Brief } from '#core/kernel/ports/assistant.ts'
import type { Bridge, CallerIdentity, Cause, Leg } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext } from './routing-context.ts'
import type { Asking, Circumstances } from '../plan/phones.ts'
import { maxWaitSeconds, type Place, type Plan } from '../plan/plan.ts'
import type { Identities } from '../inbound/request.ts'
import { Ringback } from './ringback.ts'
import { writeWithRetry } from '#core/kernel/work/write-with-retry.ts'

interface SearchOptions {
  /** Hears ringback and is connected with the party that answers; undefined when an assistant calls. */
  waiting: Party | undefined
  /** Account on whose behalf, and at whose cost, phones are called. */
  asking: Asking | undefined
  seenAs: Identities
  /** Number of the party being replaced. */
  replaced?: { number: string | undefined } | undefined
  /** The call was answered; called before the parties are connected. */
  onTaken: (callHandler: IncomingCallHandler, party: Party | undefined) => void
  /** Called each time a phone rings, before ringback is heard. */
  onRinging?: (() => void) | undefined
  /** Default: the call's own bridge. */
  bridge?: (() => Bridge) | undefined
  /** Neither a voicemail nor an assistant may answer. */
  peopleOnly?: boolean
  /** The answering party must accept first; the waiting party hears music until then. */
  brief?: Brief | undefined
}

/** An extension on the path of a call. */
interface Stop {
  readonly accountId: string
  readonly called: string
  /** The call as the account's webhook knows it there. */
  followed?: Followed
}

/** The search for a party that answers a call. */
export class Search {
  readonly context: RoutingContext
  readonly call: Call
  readonly asking: Asking | undefined
  readonly ringback: Ringback
  readonly peopleOnly: boolean
  readonly brief: Brief | undefined
  readonly until: number
  /** An internal fault prevented a phone from being reached. */
  faulty = false
  #waiting: Party | undefined
  readonly #bridge: () => Bridge
  readonly #onTaken: SearchOptions['onTaken']
  readonly #replaced: SearchOptions['replaced']
  readonly #visited = new Set<string>()
  /** Extensions the call was routed to and has not left. */
  readonly #path: Stop[] = []
  #seenAs: Identities
  /** Milliseconds spent waiting for webhooks. */
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

  /** Clock for ringing and waiting, without webhook time. */
  get now(): number {
    return this.context.clock.now() - this.#gapMs
  }

  /** Excludes the time of this work from ringing and waiting. */
  async apart<T>(work: () => Promise<T>): Promise<T> {
    const before = this.context.clock.now()
    try {
      return await work()
    } finally {
      this.#gapMs += this.context.clock.now() - before
    }
  }

  /** Shows this caller ID to phones called during the work. */
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

  /** Changes the waiting party. */
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

  /** The call arrives at an extension of an account. False when it was already there. */
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

  /** Party or extension that forwarded or transferred the call here. Undefined for a direct call. */
  get forwardedBy(): { number: string | undefined } | undefined {
    const before = this.#path.at(-2)
    return before ? { number: before.called } : this.#replaced
  }

  /** Sets how the webhook of the latest account knows the call. */
  follows(followed: Followed): void {
    const here = this.#path.at(-1)
    if (!here) return
    here.followed = followed
    this.call.details.follow(here.accountId, followed)
  }

  /** The latest extension forwards the call. */
  forward(): void {
    endFollowed(this.call, this.#path.at(-1)?.followed, 'forwarded')
  }

  /** The call is not answered at this extension. */
  leave({ place }: Plan, cause: Cause): void {
    if (!place) return
    const [stop] = this.#path.splice(
      this.#path.findLastIndex(({ accountId }) => accountId === place.accountId),
      1,
    )
    this.call.details.rejected(place.accountId, cause)
    // If the call continues, the webhook must be notified now.
    if (this.#path.length > 0 || this.#replaced) endFollowed(this.call, stop?.followed, causeOfRejection(cause))
    if (!this.#isOnPath(place.accountId)) this.call.accounts.hideUnlessInvolved(place.accountId)
  }

  #isOnPath(accountId: string): boolean {
    return this.#path.some((stop) => stop.accountId === accountId)
  }

  taken(callHandler: IncomingCallHandler, party?: Party): void {
    const station = party?.station
    this.ringback.stop()
    // Its phone rang in parallel with those of another account.
    if (station && !this.call.details.concerns(station.accountId))
      this.#concern({ ...station, extension: station.deviceId, alias: '' }, party.identity.number ?? station.deviceId)
    if (party) party.calledAs = this.#path[0]?.called
    const here = this.#path.at(-1)
    const passed = this.#path.map(({ accountId }) => accountId)
    // The phone's account and the payer may have left the call before.
    const involved = [station?.accountId, party?.meter?.accountId].filter((accountId) => accountId !== undefined)
    for (const accountId of involved) this.call.accounts.show(accountId)
    this.call.details.answered(new Set([...passed, ...involved]), station, this.context.clock.now())
    const number = party?.identity.number ?? here?.called ?? ''
    answerFollowed(this.call, [...this.#answersToCallers(number), ...this.#answersOnTheWay(number)], station)
    this.#onTaken(callHandler, party)
    for (const accountId of passed) this.call.accounts.hideUnlessInvolved(accountId)
  }

  /** For callers, the number they dialled has answered. */
  #answersToCallers(number: string): Answer[] {
    const calling = allFollowed(this.call).filter(({ call }) => call.direction === 'out')
    return calling.map((followed) => ({ followed, number: this.#path[0]?.called ?? number }))
  }

  #answersOnTheWay(number: string): Answer[] {
    return this.#path.flatMap(({ followed }, place) => (followed ? { followed, number: this.#path[place + 1]?.called ?? number } : []))
  }

  /** The webhook of the called or calling account answers the caller and looks for a callee itself. */
  async takenBySoftware(of: 'callee' | 'caller'): Promise<void> {
    if (!this.waiting || this.waiting.leg.answered) return
    if (of === 'callee') {
      this.call.details.answered([], undefined, this.context.clock.now())
      answerFollowed(this.call, this.#answersToCallers(''), undefined)
    }
    this.call.answered({ kind: 'software' })
    await pickUp(this.waiting.leg)
  }

  /** End of the call when it was not answered. */
  endOf(cause: Cause): End {
    return this.faulty && cause === 'failed' ? serviceFailure : endBySearch(cause)
  }

  /** Reports a fault that need not end the search: other phones may still be reached. */
  note(error: unknown): void {
    this.faulty = true
    this.context.onFailure(error, this.call.id)
  }
}

/** Answers unless already done; a caller who is gone is not a fault. */
export const pickUp = async (leg: Leg): Promise<void> => {
  if (!leg.answered) await Promise.race([leg.answer(), leg.ended])
}

/** Calls the account's webhook follows on the side of a party that may be replaced. The other party may belong to the same account. */
export const followedOf = (call: Call, accountId: string | undefined, { role, other }: { role: Role; other: Party }): Followed[] => {
  const known = call.details.sides.find((side) => side.accountId === accountId)?.followed ?? []
  const direction = role === 'caller' ? 'out' : 'in'
  return other.station?.accountId === accountId ? known.filter((one) => one.call.direction === direction) : [...known]
}

/** All calls followed by webhooks. */
export const allFollowed = (call: Call): Followed[] => call.details.sides.flatMap((side) => side.followed)

/** Ends the webhook's view of a call that continues. At the end of the call itself this is written with the rest. */
export const endFollowed = (call: Call, followed: Followed | undefined, cause: HangupCause): void => {
  const list = call.details.sides.map((side) => side.followed).find((one) => followed !== undefined && one.includes(followed))
  if (!followed || !list || call.end) return
  list.splice(list.indexOf(followed), 1)
  const at = call.context.clock.now()
  const written = writeWithRetry(call.context, call.id, (tables) => notifyHangup(tables, followed, cause, at))
  call.track(written.then(() => call.context.wake()))
  call.books.changed()
}

/** Marks the call as answered. Each account sees only the next number on the path: forwardings of other accounts stay hidden. */
const answerFollowed = (call: Call, answers: readonly Answer[], station: Station | undefined): void => {
  for (const { followed, number } of answers) {
    const own = followed.call.direction === 'in' && station?.accountId === followed.call.accountId
    followed.answered ??= { number, userId: own ? station.userId : undefined }
  }
  call.books.changed()
}

interface Answer {
  followed: Followed
  /** Answering number as this account sees it. */
  number: string
}
