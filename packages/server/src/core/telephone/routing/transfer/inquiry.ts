import type { Call } from '#core/telephone/call/call.ts'
import type { IncomingCallHandler } from '#core/telephone/call/state/assistant-party.ts'
import { endBySearch } from '#core/telephone/call/state/end.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Followed } from '#core/kernel/ports/calls.ts'
import type { Bridge, Cause } from '#core/kernel/ports/telephony.ts'
import { MusicOnHold, resumeCall, type Rest } from './music-on-hold.ts'
import type { RoutingContext, DialTarget } from '../search/routing-context.ts'
import type { Plan } from '../plan/plan.ts'
import { TransferSearch } from './party-search.ts'
import { allFollowed, endFollowed, followedOf } from '../search/search.ts'
import { transferProblem } from '../search/ring-target.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import type { FundsExhausted } from '#core/money/funds-exhausted.ts'
import { promptOfExhaustion } from '#core/telephone/call/money/meter.ts'
import type { Consulting, TransferRequest } from '#core/telephone/call/state/transfer-request.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'

/** Calls a third party for a consultation. The call is unchanged until it rings. */
export class Inquiry {
  /** Resolves when the third party rings or has answered; rejects with a Problem when neither happens. */
  readonly rings: Promise<void>
  readonly #context: RoutingContext
  readonly #call: Call
  readonly #options: InquiryOptions
  readonly #musicOnHold: MusicOnHold
  readonly #seeking: TransferSearch
  readonly #notify: { resolve: () => void; reject: (problem: Error) => void }
  /** Calls that end for the account's webhook when the owner leaves. */
  readonly #followed: readonly Followed[]
  /** Calls all webhooks followed before the consultation. */
  readonly #knownBefore: readonly Followed[]
  #room: Bridge | undefined
  #separated = false
  /** `taken`: the third party has answered. */
  #outcome: 'taken' | 'given_up' | undefined

  constructor(context: RoutingContext, call: Call, options: InquiryOptions) {
    const { owner, waiting, wish: input } = options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#context = context
    this.#call = call
    this.#options = options
    this.rings = promise
    this.#notify = { resolve, reject }
    this.#musicOnHold = new MusicOnHold(call, waiting)
    this.#knownBefore = allFollowed(call)
    this.#followed = followedOf(call, input.accountId, { role: owner.role, other: waiting })
    this.#seeking = new TransferSearch(context, call, {
      waiting: owner,
      bridge: () => (this.#ownerStays ? this.#privateRoom() : call.bridge),
      peopleOnly: true,
      ringing: () => this.#separate(),
      taken: (callHandler, target, plan) => target && this.#answered(callHandler, target, plan),
    })
    call.progress.beginTransfer(owner)
    call.beforeClose(async () => this.#closeRoom())
  }

  async run(aim: () => Promise<DialTarget | Cause>): Promise<void> {
    try {
      void this.#options.owner.leg.ended.then(() => this.#ownerLeft())
      const found = await this.#context.tasks.track(aim())
      const outcome = typeof found === 'string' ? found : await this.#seeking.run(found)
      if (outcome !== 'taken') this.#giveUp(outcome)
    } catch (error) {
      if (this.#outcome === 'taken') return this.#call.fail(error)
      this.#context.onFailure(error, this.#call.id)
      this.#giveUp('failed')
    }
  }

  get #ownerStays(): boolean {
    return this.#call.parties.includes(this.#options.owner)
  }

  #privateRoom(): Bridge {
    return (this.#room ??= this.#context.telephony.bridge())
  }

  #closeRoom(): void {
    this.#room?.close()
    this.#room = undefined
  }

  /** Plays music to the waiting party and connects the owner to the third party's ringing. */
  #separate(): void {
    if (!this.#ownerStays) return this.#notify.resolve()
    if (this.#separated) return
    this.#separated = true
    this.#call.attendance.silence()
    const report = (error: unknown): void => this.#context.onFailure(error, this.#call.id)
    const done = Promise.all([this.#musicOnHold.hold(), resumeCall(this.#options.owner)]).then(() => {}, report)
    this.#call.track(done.then(() => this.#notify.resolve()))
  }

  #answered(callHandler: IncomingCallHandler, target: Party, plan: Plan): void {
    const call = this.#call
    this.#outcome = 'taken'
    this.#separate()
    if (!this.#ownerStays) return this.#connectWithoutOwner(callHandler, target, plan)
    const [musicOnHold, room, followed, knownBefore] = [this.#musicOnHold, this.#privateRoom(), this.#followed, this.#knownBefore]
    this.#room = undefined // owned by the consultation from now on
    new Consultation(this.#context, call, { ...this.#options, target, plan, musicOnHold, room, followed, knownBefore }).begin()
  }

  /** The owner left before the answer; the other party waited. */
  #connectWithoutOwner(callHandler: IncomingCallHandler, target: Party, plan: Plan): void {
    const call = this.#call
    const { owner, wish: input } = this.#options
    target.role = owner.role
    call.progress.transferred({ counts: true })
    call.answered(callHandler)
    call.details.transferred(input.accountId, plan)
    for (const one of this.#followed) endFollowed(call, one, 'forwarded')
    call.attempt(() => this.#closeRoom())
    call.attendance.unmute()
  }

  #giveUp(cause: Cause): void {
    const call = this.#call
    this.#outcome = 'given_up'
    this.#notify.reject(transferProblem(cause))
    this.rings.catch(() => {})
    if (call.end) return
    call.attempt(() => this.#seeking.stopRinging())
    if (!this.#ownerStays) return call.finish(endBySearch(cause))
    call.progress.transferFailed({ counts: false })
    call.must(() => call.bridge.add(this.#options.owner.leg))
    call.track(call.inTurn(this.#musicOnHold.back()))
    call.attempt(() => this.#closeRoom())
    call.attendance.unmute()
  }

  /** The owner hung up before the answer: the other party waits instead. */
  #ownerLeft(): void {
    const call = this.#call
    if (call.end || this.#outcome) return
    call.track(call.inTurn(this.#musicOnHold.back()))
    call.must(() => this.#seeking.passTo(this.#options.waiting))
  }
}

interface InquiryOptions {
  /** Talks with the third party, and leaves when the two others are connected. */
  owner: Party
  /** Hears music during the consultation. */
  waiting: Party
  wish: TransferRequest
}

interface ConsultationOptions extends InquiryOptions {
  /** The consulted party. */
  target: Party
  /** Plan by which it was found. */
  plan: Plan
  musicOnHold: MusicOnHold
  /** Bridge of owner and target. */
  room: Bridge
  /** Calls that end for the account's webhook when the owner leaves. */
  followed: readonly Followed[]
  /** Calls all webhooks followed before the consultation. */
  knownBefore: readonly Followed[]
}

/** Milliseconds to wait for a referred phone; it calls with Replaces immediately or not at all. */
const maxReferralMs = 5_000

/** One of two parties talks with a third, who may take its place. The waiting party does not hear it, and it is not recorded. */
class Consultation implements Consulting {
  readonly accountId: string
  readonly to: string
  readonly waiting: Party
  readonly #context: RoutingContext
  readonly #call: Call
  readonly #options: ConsultationOptions
  #closed = false
  #cancelTimer: () => void = () => {}

  constructor(context: RoutingContext, call: Call, options: ConsultationOptions) {
    this.#context = context
    this.#call = call
    this.#options = options
    this.accountId = options.wish.accountId
    this.to = options.wish.to
    this.waiting = options.waiting
    call.beforeClose(async () => this.#close())
  }

  begin(): void {
    const call = this.#call
    call.progress.consult(this)
    this.#options.target.meter?.notify({
      runsOut: (ms, why) => this.#runsOut(ms, why),
      unknown: () => this.#later(this.callOff()),
      isOurs: (tables) => call.books.isOurs(tables),
    })
    call.attendance.unmute()
  }

  complete(): Rest {
    const { owner, target } = this.#options
    const call = this.#call
    if (!call.progress.completeConsultation(this)) return nothing
    target.role = owner.role
    if (call.parties.includes(owner)) call.release(owner)
    if (!this.#mayTakePlace(this.waiting)) return this.#join()
    return async () => {
      await this.#refer()
      if (call.progress.consultation === this) await this.#join()()
    }
  }

  callOff(): Rest {
    const { owner, target, knownBefore } = this.#options
    const call = this.#call
    if (!call.progress.endConsultation(this)) return nothing
    if (call.parties.includes(target)) call.release(target)
    for (const one of allFollowed(call)) if (!knownBefore.includes(one)) endFollowed(call, one, 'normalClearing')
    call.details.takenBack(this.accountId, owner.station)
    return this.#end(this.#bringBack(owner))
  }

  left(party: Party): void {
    if (party === this.waiting) this.#resume()
    else this.#later(party === this.#options.owner ? this.complete() : this.callOff())
  }

  /** Releases the old leg of the waiting party. */
  replaceWaiting(guest: Party): void {
    const call = this.#call
    call.must(() => {
      call.admit(guest)
      guest.leg.audio.mute(this.waiting.muted)
      guest.muted = this.waiting.muted
      call.bridge.add(guest.leg)
      this.#later(this.#join())
      call.release(this.waiting)
    })
  }

  /** The waiting party hung up: connects the others, on hold if they were. */
  #resume(): void {
    const { owner, target } = this.#options
    const call = this.#call
    if (!call.progress.endConsultation(this)) return
    target.role = this.waiting.role
    const followed = followedOf(call, this.waiting.station?.accountId, { role: this.waiting.role, other: owner })
    call.release(this.waiting)
    for (const one of followed) endFollowed(call, one, 'normalClearing')
    this.#end(this.#bringBack(owner, target))
  }

  #join(): Rest {
    const { target, plan, followed } = this.#options
    const call = this.#call
    const back = this.#bringBack(target)
    call.progress.transferred({ counts: true })
    const rest = this.#end(back)
    call.details.transferred(this.accountId, plan)
    for (const one of followed) endFollowed(call, one, 'forwarded')
    return rest
  }

  /** Returns these parties, and the waiting one, to the call's bridge. */
  #bringBack(...coming: readonly Party[]): Rest {
    const call = this.#call
    call.must(() => coming.forEach(({ leg }) => call.bridge.add(leg)))
    return this.#options.musicOnHold.back()
  }

  /** Back to two parties. */
  #end(back: Rest): Rest {
    const { target } = this.#options
    const call = this.#call
    call.attempt(() => this.#close())
    if (call.parties.includes(target)) call.expenses.heed(target)
    call.attendance.unmute()
    return async () => {
      await back()
      await Promise.all(call.parties.map((party) => resumeCall(party)))
    }
  }

  #close(): void {
    this.#cancelTimer()
    if (!this.#closed) this.#options.room.close()
    this.#closed = true
  }

  #later(rest: Rest): void {
    this.#call.track(this.#call.inTurn(rest))
  }

  /** Plays the reason to the owner and reconnects the original two. */
  #runsOut(ms: number, why: FundsExhausted): void {
    const callOff = (): void => this.#later(this.callOff())
    this.#cancelTimer = this.#context.clock.after(ms, callOff)
    this.#sayWhy(why).then(callOff, (error: unknown) => this.#context.onFailure(error, this.#call.id))
  }

  async #sayWhy(why: FundsExhausted): Promise<void> {
    const language = await languageOf(this.#call.context, this.accountId)
    await this.#options.owner.leg.audio.play({ prompt: promptOfExhaustion(why), language }).done
  }

  #mayTakePlace({ leg, station, trusted }: Party): boolean {
    return this.#context.transferBy === 'refer' && leg.refers && trusted && station?.accountId === this.accountId
  }

  /** Asks the waiting phone to call the target itself (REFER with Replaces). Its agreement shows only by its call. */
  async #refer(): Promise<void> {
    const asked = this.waiting.leg.refer({ leg: this.#options.target.leg }).catch(() => {})
    await atMost(this.#context.clock, maxReferralMs, Promise.race([asked, this.#call.over]), undefined)
  }
}

const nothing: Rest = () => Promise.resolve()
