import { atMost } from '#core/kernel/work/at-most.ts'
import type { FundsExhausted } from '#core/money/funds-exhausted.ts'
import { promptOfExhaustion } from '#core/telephone/call/money/out-of-money.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { Consulting, TransferRequest } from '#core/telephone/call/state/transfer-wish.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'
import type { Followed } from '#core/kernel/ports/call-guide.ts'
import type { Bridge } from '#core/kernel/ports/telephony.ts'
import { resumeCall, type MusicOnHold, type Rest } from './music-on-hold.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import type { Plan } from '../plan/plan.ts'
import { allFollowed, endFollowed, followedOf } from '../search/followed-calls.ts'

export interface InquiryOptions {
  /** Talks with the third party, and leaves if the two others are to be connected. */
  owner: Party
  /** Hears music meanwhile. */
  waiting: Party
  wish: TransferRequest
}

export interface ConsultationOptions extends InquiryOptions {
  /** Whom the owner talks with. */
  target: Party
  /** Where that was found. */
  plan: Plan
  musicOnHold: MusicOnHold
  /** Where the two hear each other. */
  room: Bridge
  /** What is over for the account's software if the owner leaves … */
  followed: readonly Followed[]
  /** … and what all others followed before the consultation. */
  knownBefore: readonly Followed[]
}

/** A phone that was asked to call us with Replaces does so at once, or not at all. */
const maxReferralMs = 5_000

/** One of two parties talks with a third one, who may then take its place. The waiting party hears nothing of it, and it is not recorded. */
export class Consultation implements Consulting {
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

  /** The old leg is not needed any more. */
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

  /** The waiting party has hung up: the others go on, on hold if they were. */
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

  /** These hear the whole call again, as does the party that waited. */
  #bringBack(...coming: readonly Party[]): Rest {
    const call = this.#call
    call.must(() => coming.forEach(({ leg }) => call.bridge.add(leg)))
    return this.#options.musicOnHold.back()
  }

  /** There are two again. */
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

  /** The owner hears why, and is back with the other party. */
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

  /** Asks the waiting phone to call the target by itself (REFER with Replaces). Whether it agrees is seen by whether its call comes. */
  async #refer(): Promise<void> {
    const asked = this.waiting.leg.refer({ leg: this.#options.target.leg }).catch(() => {})
    await atMost(this.#context.clock, maxReferralMs, Promise.race([asked, this.#call.over]), undefined)
  }
}

const nothing: Rest = () => Promise.resolve()
