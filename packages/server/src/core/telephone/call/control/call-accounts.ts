import type { Attendance } from './attendance.ts'
import type { CallContext } from '../state/call-context.ts'
import { hostOf } from '../state/taker.ts'
import { CallView, type ControlledCall } from './call-view.ts'
import type { CallTimeline } from '../records/call-timeline.ts'

/** A call with accounts that it concerns. */
interface SharedCall extends ControlledCall {
  readonly context: Pick<CallContext, 'clock' | 'calls'>
  readonly attendance: Pick<Attendance, 'orderedBy'>
  readonly timeline: Pick<CallTimeline, 'note' | 'joined' | 'resume' | 'left'>
  track(task: Promise<void>): void
}

/** Which accounts a call concerns: each sees and controls it as long as it is involved. */
export class CallAccounts {
  readonly #call: SharedCall

  constructor(call: SharedCall) {
    this.#call = call
  }

  /** The account is concerned from now on: its users see the call and can end it. */
  show(accountId: string): void {
    if (this.#call.end) return
    const view = new CallView(this.#call, accountId)
    this.#call.context.calls.enter(view)
    this.#call.timeline.joined(view)
  }

  /** Those that are involved in a call that another process had; their software knows it by the names that it had there. */
  resume(): void {
    const { context, details, id, timeline } = this.#call
    for (const { accountId, followed } of details.sides) {
      if (!this.involves(accountId)) continue
      const view = new CallView(this.#call, accountId)
      context.calls.enter(view)
      timeline.resume(view)
      for (const { call } of followed) if (call.callId !== id) context.calls.alias(id, accountId, call.callId)
    }
  }

  /** Whether a party, the assistant or the voicemail of the account is in the call, or the account pays for a party. */
  involves(accountId: string): boolean {
    return hostOf(this.#call.taker) === accountId || this.hasPhoneOf(accountId)
  }

  /** The same, but neither its assistant nor its voicemail counts. */
  hasPhoneOf(accountId: string): boolean {
    const { parties, attendance } = this.#call
    return parties.some((party) => [party.station?.accountId, party.meter?.accountId, attendance.orderedBy(party)].includes(accountId))
  }

  /** An account that is not involved any more neither sees nor records the call. */
  hideUnlessInvolved(accountId: string): void {
    if (this.involves(accountId)) return
    const { context, id, timeline, recordings } = this.#call
    context.calls.hide(id, accountId)
    timeline.left(accountId)
    this.#call.track(Promise.resolve().then(() => recordings.stop(accountId)))
  }
}
