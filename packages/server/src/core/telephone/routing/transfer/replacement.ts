import { atMost } from '#core/kernel/work/waiting.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { IncomingCallHandler } from '#core/telephone/call/state/assistant-party.ts'
import { endBySearch } from '#core/telephone/call/state/end.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Followed } from '#core/kernel/ports/calls.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { resumeCall } from './music-on-hold.ts'
import type { RoutingContext, DialTarget, ReplacementOptions } from '../search/routing-context.ts'
import { ringSeconds, type Outcome, type Plan } from '../plan/plan.ts'
import { TransferSearch } from './party-search.ts'
import { endFollowed, followedOf } from '../search/search.ts'

/** Replaces one of two parties by a new one; nothing changes before the new party is found, or if none is. */
export class Replacement {
  readonly #context: RoutingContext
  readonly #call: Call
  readonly #options: ReplacementOptions
  readonly #seeking: TransferSearch
  /** Calls that end for the webhook of the transferring account. */
  #followed: readonly Followed[] = []
  #done = false

  constructor(context: RoutingContext, call: Call, options: ReplacementOptions) {
    const { waiting } = options
    this.#context = context
    this.#call = call
    this.#options = options
    this.#seeking = new TransferSearch(context, call, {
      waiting,
      ringing: () => this.#rings(),
      taken: (callHandler, party, plan) => this.#succeed(callHandler, party, plan),
    })
    call.progress.beginTransfer(options.leaving)
  }

  /** `aim` returns the target, or the cause why there is none. */
  async run(aim: () => Promise<DialTarget | Cause>): Promise<void> {
    try {
      const outcome = await this.#seek(aim)
      if (outcome !== 'taken') this.#giveUp(outcome)
    } catch (error) {
      if (this.#done) return this.#call.fail(error)
      this.#context.onFailure(error, this.#call.id)
      this.#giveUp('failed')
    }
  }

  async #seek(aim: () => Promise<DialTarget | Cause>): Promise<Outcome> {
    const found = await this.#context.tasks.track(aim())
    if (typeof found === 'string') return found
    this.#followed = followedOf(this.#call, found.asking.accountId, { role: this.#options.role, other: this.#options.waiting })
    const referred = found.refer === undefined ? undefined : await this.#refer(found.refer, found.seconds)
    return referred ?? this.#seeking.run(found)
  }

  /** Asks the waiting party's phone to call the target itself. Undefined when it does not: then we call. */
  async #refer(dialled: string, seconds = ringSeconds): Promise<Outcome | undefined> {
    const { waiting, done } = this.#options
    let rang = false
    const rings = (): void => {
      rang = true
      this.#rings()
    }
    const asked = waiting.leg.refer({ dialled }, { ringing: rings }).then(
      (): Outcome => 'taken',
      (): Outcome | undefined => (rang ? 'no_answer' : undefined),
    )
    const settled = Promise.race([asked, this.#call.over.then((): Outcome => 'normal')])
    const outcome = await atMost(this.#context.clock, seconds * 1000, settled, 'no_answer' as const)
    if (outcome !== 'taken') return outcome
    // The two talk in a separate call.
    this.#call.attempt(() => done({ place: undefined, called: dialled, steps: [] }))
    this.#call.finish({ by: 'api', reason: 'transferred', cause: 'normal' })
    return outcome
  }

  /** The call is unchanged until here. */
  #rings(): void {
    this.#call.attendance.silence()
    this.#resume()
    this.#options.ringing?.()
  }

  /** A party on hold would hear neither ringback nor the answer. */
  #resume(): void {
    const { waiting } = this.#options
    this.#call.track(this.#call.inTurn(() => resumeCall(waiting)))
  }

  #succeed(callHandler: IncomingCallHandler, party: Party | undefined, plan: Plan): void {
    const { leaving, role, done } = this.#options
    this.#done = true
    if (party) party.role = role
    this.#call.progress.transferred({ counts: true })
    this.#call.answered(callHandler)
    this.#call.attempt(() => done(plan))
    this.#resume()
    for (const one of this.#followed) endFollowed(this.#call, one, 'forwarded')
    if (leaving && this.#call.parties.includes(leaving)) this.#call.release(leaving)
    this.#call.attendance.unmute()
  }

  #giveUp(cause: Cause): void {
    const { leaving, waiting, failureCounts, failed } = this.#options
    this.#call.progress.transferFailed({ counts: failureCounts })
    this.#call.attempt(() => this.#seeking.stopRinging())
    if (!leaving) this.#call.isolate(waiting.leg)
    this.#call.attempt(() => failed(cause))
    this.#call.attendance.unmute()
    if (leaving && !this.#call.parties.includes(leaving)) this.#call.finish(endBySearch(cause))
  }
}
