import type { Call } from '#core/telephone/call/call.ts'
import type { IncomingCallHandler } from '#core/telephone/call/state/taker.ts'
import { endBySearch } from '#core/telephone/call/state/end.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Followed } from '#core/kernel/ports/call-guide.ts'
import type { Bridge, Cause } from '#core/kernel/ports/telephony.ts'
import { MusicOnHold, resumeCall } from './music-on-hold.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { Consultation, type InquiryOptions } from './consultation.ts'
import type { Plan } from '../plan/plan.ts'
import { TransferSearch } from './party-search.ts'
import { allFollowed, endFollowed, followedOf } from '../search/followed-calls.ts'
import { transferProblem } from '../search/transfer-problem.ts'
import type { DialTarget } from '../search/ring-target.ts'

/** A third party is called that one of two wants to consult. Nothing changes for the two before it rings there. */
export class Inquiry {
  /** Resolves when the third party rings or has answered; rejects with a Problem when it will not. */
  readonly rings: Promise<void>
  readonly #context: RoutingContext
  readonly #call: Call
  readonly #options: InquiryOptions
  readonly #musicOnHold: MusicOnHold
  readonly #seeking: TransferSearch
  readonly #notify: { resolve: () => void; reject: (problem: Error) => void }
  /** What is over for the account's software if the owner leaves … */
  readonly #followed: readonly Followed[]
  /** … and what all others followed before the consultation. */
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

  /** From now on one hears music and the other the third party's phone. */
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
    this.#room = undefined // it is the consultation's from now on
    new Consultation(this.#context, call, { ...this.#options, target, plan, musicOnHold, room, followed, knownBefore }).begin()
  }

  /** The owner did not wait for the answer: the other party did. */
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

  /** The owner hung up before the answer: then the other party waits for it. */
  #ownerLeft(): void {
    const call = this.#call
    if (call.end || this.#outcome) return
    call.track(call.inTurn(this.#musicOnHold.back()))
    call.must(() => this.#seeking.passTo(this.#options.waiting))
  }
}
