import { namesOf } from '#core/account/contacts/names.ts'
import { openMeter, type Meter } from '#core/telephone/call/money/meter.ts'
import type { SpentBy } from '#core/money/reservations.ts'
import { newParty, type Party } from '#core/telephone/call/state/party.ts'
import type { CallerIdentity, Cause, Dial, DialTarget, Leg, LegEnd } from '#core/kernel/ports/telephony.ts'
import { causeOf, highestPriorityCause } from '../inbound/causes.ts'
import { type Phone, type DiversionHistory, mayTryAnother, trunksInOrder } from '../plan/plan.ts'
import type { Search } from './search.ts'

interface RingingOptions {
  phones: readonly Phone[]
  diverted: DiversionHistory
  /** For external phones. */
  outsideDiverted: DiversionHistory
  /** Called number, for phones that show it. */
  called: string
  /** Alias of the ringing line or group. */
  line?: string | undefined
  until: number
}

type OutsidePhone = Exclude<Phone, { kind: 'device' }>

interface Watched {
  end: LegEnd
  rang: boolean
}

const over: LegEnd = { by: 'us', cause: 'normal' }

/** Rings phones in parallel. Returns the first that answers, or the cause; the others stop ringing. */
export const ringPhones = (search: Search, options: RingingOptions): Promise<Party | Cause> => new Ringing(search, options).run()

class Ringing {
  readonly #search: Search
  readonly #options: RingingOptions
  readonly #found = Promise.withResolvers<Party | Cause>()
  readonly #ringing = new Set<Leg>()
  #heard: Leg | undefined
  #settled = false
  #winner: Party | undefined

  constructor(search: Search, options: RingingOptions) {
    this.#search = search
    this.#options = options
  }

  async run(): Promise<Party | Cause> {
    const { call, context, now } = this.#search
    const { phones, until } = this.#options
    const cancelTimer = context.clock.after(until - now, () => this.#settle('no_answer'))
    void call.over.then(() => this.#settle('normal'))
    const tries = phones.map((phone) => this.#try(phone))
    call.track(Promise.all(tries).then((causes) => this.#settle(highestPriorityCause(causes))))
    const found = await this.#found.promise
    cancelTimer()
    for (const leg of this.#ringing) {
      this.#forget(leg)
      call.drop({ leg }, this.#hangUpCause)
    }
    return found
  }

  /** Hang-up cause for phones that are no longer needed. */
  get #hangUpCause(): Cause {
    return this.#winner ? 'answered_elsewhere' : 'normal'
  }

  #settle(result: Party | Cause): void {
    if (this.#settled) return
    this.#settled = true
    if (typeof result !== 'string') {
      this.#winner = result
      this.#ringing.delete(result.leg)
      result.meter?.start()
    }
    this.#found.resolve(result)
  }

  /** Resolves when this phone can no longer answer the call. */
  async #try(phone: Phone): Promise<Cause> {
    try {
      return phone.kind === 'device' ? await this.#callDevice(phone) : await this.#callOutside(phone)
    } catch (error) {
      const cause = causeOf(error)
      if (cause === undefined) this.#search.note(error)
      return cause ?? 'failed'
    }
  }

  async #callDevice(phone: Phone & { kind: 'device' }): Promise<Cause> {
    const { accountId, deviceId, userId } = phone
    const { telephony } = this.#search.context
    const dial = this.#dial(phone)
    const caller = await this.#named(phone, dial.caller)
    const legs = await telephony.dial({ kind: 'device', accountId, deviceId }, { ...dial, caller })
    if (legs.length === 0) return 'unavailable'
    const identity = { number: this.#options.called, name: '', withheld: false }
    const station = { accountId, deviceId, userId }
    const watched = await Promise.all(legs.map((leg) => this.#watch(newParty({ leg, station, trusted: true, identity }))))
    return highestPriorityCause(watched.map(({ end }) => end.cause))
  }

  async #callOutside(phone: OutsidePhone): Promise<Cause> {
    const held = phone.kind === 'outside' ? phone.held : undefined
    if (held) return this.#tryTrunks(phone, held)
    const meter = await this.#pay(phone)
    try {
      return await this.#tryTrunks(phone, meter)
    } finally {
      if (meter && this.#winner?.meter !== meter) this.#search.call.expenses.settle(meter)
    }
  }

  #pay(phone: OutsidePhone): Promise<Meter | undefined> {
    if (phone.kind === 'emergency') return Promise.resolve(undefined)
    const { context, call } = this.#search
    const input = { payer: phone.payer, sessionId: call.expenses.nextSession(), e164: phone.e164, by: this.#spender(phone) }
    return openMeter(context, input, (error) => context.onFailure(error, call.id))
  }

  /** The calling user, or the line whose call is forwarded to an external network. */
  #spender({ payer, device }: Phone & { kind: 'outside' }): SpentBy {
    const { waiting, seenAs } = this.#search
    const { called } = this.#options
    if (waiting?.station?.accountId === payer.id) return { userId: waiting.station.userId, number: seenAs.outside.number }
    return { userId: device?.userId, number: called.startsWith('+') ? called : undefined }
  }

  async #tryTrunks(phone: OutsidePhone, meter: Meter | undefined): Promise<Cause> {
    const { context } = this.#search
    const emergency = phone.kind === 'emergency'
    const number = emergency ? phone.dialled : phone.e164
    const location = emergency && phone.location && { location: phone.location }
    let cause: Cause = 'overloaded'
    for (const { id: trunkId } of await trunksInOrder(context.store.read, context.telephony, { emergency })) {
      if (this.#settled) return 'normal'
      const leg = await this.#dialTrunk({ kind: 'trunk', trunkId, number, emergency, ...location }, phone)
      if (!leg) continue
      const { end, rang } = await this.#watch(this.#outsideParty(phone, leg, meter))
      // Emergency calls try the next trunk after any rejection.
      if (!emergency && !mayTryAnother(end, { rang })) return end.cause
      cause = end.cause
    }
    return cause
  }

  async #dialTrunk(target: DialTarget, phone: OutsidePhone): Promise<Leg | undefined> {
    try {
      return (await this.#search.context.telephony.dial(target, this.#dial(phone)))[0]
    } catch (error) {
      if (causeOf(error) === undefined) this.#search.note(error)
      return undefined
    }
  }

  #outsideParty(phone: OutsidePhone, leg: Leg, meter: Meter | undefined): Party {
    const number = phone.kind === 'emergency' ? phone.dialled : phone.e164
    const device = phone.kind === 'outside' ? phone.device : undefined
    const station = device && phone.kind === 'outside' ? { ...device, accountId: phone.payer.id } : undefined
    return newParty({ leg, station, identity: { number, name: '', withheld: false }, meter })
  }

  #dial(phone: Phone): Dial {
    const { diverted, outsideDiverted } = this.#options
    const { diversions, hops } = phone.kind === 'device' ? diverted : outsideDiverted
    const near = this.#search.waiting?.leg
    const about = { callId: this.#search.call.id, called: this.#options.called, line: this.#options.line ?? '' }
    return { caller: this.#seenBy(phone), diversions, hops: hops + 1, about, ...(near && { near }) }
  }

  /** Phones of other accounts do not get a withheld number; trunks must get it. */
  #seenBy(phone: Phone): CallerIdentity {
    const { asking, seenAs } = this.#search
    const { called } = this.#options
    if (phone.kind === 'outside' && phone.device?.showsCalled && called.startsWith('+'))
      return { number: called, name: '', withheld: false }
    if (phone.kind !== 'device') return seenAs.outside
    if (asking?.accountId === phone.accountId) return seenAs.inside
    return seenAs.outside.withheld ? { number: undefined, name: '', withheld: true } : seenAs.outside
  }

  /** Caller name from the user's contacts. A failed lookup does not delay the call. */
  async #named({ accountId, userId }: Phone & { kind: 'device' }, caller: CallerIdentity): Promise<CallerIdentity> {
    const { number, name: sent } = caller
    if (number === undefined) return caller
    try {
      const { name, contactId } = (await namesOf(this.#search.context.store.read, accountId, userId, [number])).get(number) ?? {}
      return name === undefined || (contactId === undefined && sent !== '') ? caller : { ...caller, name }
    } catch (error) {
      this.#search.note(error)
      return caller
    }
  }

  /** Resolves when the leg has ended or is no longer relevant. */
  async #watch(party: Party): Promise<Watched> {
    const { leg } = party
    const { call, context } = this.#search
    if (this.#settled) {
      call.drop({ leg }, this.#hangUpCause)
      return { end: over, rang: false }
    }
    this.#ringing.add(leg)
    let rang = false
    let stopRinging: (() => void) | undefined
    const rings = (): void => {
      rang = true
      if (party.station) stopRinging ??= context.occupancy.rings(party.station, party)
    }
    const stopObserving = leg.observe({
      ringing: () => {
        rings()
        this.#ring()
      },
      progressing: () => this.#proceed(),
      earlyAudio: () => {
        rings()
        this.#hear(leg)
      },
      answered: () => this.#settle(party),
    })
    if (leg.answered) this.#settle(party)
    const end = await Promise.race([leg.ended, this.#found.promise.then(() => over)])
    stopObserving()
    // The answering phone counts as ringing until it is in the call, so that it is never shown as free.
    if (this.#winner === party) void leg.ended.then(stopRinging)
    else stopRinging?.()
    if (end !== over) this.#forget(leg)
    return { end, rang }
  }

  /** Not during early media. A failure at the caller's phone ends the call. */
  #ring(): void {
    const { call, ringback } = this.#search
    if (!this.#heard) call.must(() => ringback.ring())
  }

  #proceed(): void {
    const { call, ringback } = this.#search
    if (!this.#heard) call.must(() => ringback.proceed())
  }

  /** With several ringing phones, early media is not played. */
  #hear(leg: Leg): void {
    if (this.#ringing.size > 1) return this.#ring()
    const { call, ringback } = this.#search
    this.#heard = leg
    ringback.hear(leg).catch((error: unknown) => call.fail(error))
  }

  #forget(leg: Leg): void {
    this.#ringing.delete(leg)
    if (this.#heard !== leg) return
    this.#heard = undefined
    this.#search.call.attempt(() => this.#search.ringback.forget(leg))
  }
}
