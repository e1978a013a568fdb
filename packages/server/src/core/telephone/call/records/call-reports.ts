import type { CallChange, CallFacts } from '#core/kernel/ports/call-observer.ts'
import type { CallerIdentity, SoundState } from '#core/kernel/ports/telephony.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import type { CallContext } from '../state/call-context.ts'
import type { OngoingCall } from '../state/ongoing-call.ts'
import type { Party } from '../state/party.ts'
import type { CallDetails } from '../state/call-details.ts'
import type { CallTimeline } from './call-timeline.ts'
import { noteSound } from './note-sound.ts'

/** A call that is reported on. */
interface ReportedCall extends Pick<OngoingCall, 'id' | 'end' | 'attempt'> {
  readonly context: CallContext
  readonly from: CallerIdentity
  readonly to: string
  readonly startedAt: number
  readonly answeredAt: number | undefined
  readonly endedAt: number | undefined
  readonly trace: IncomingTrace | undefined
  readonly codecs: readonly string[]
  readonly details: Pick<CallDetails, 'sides'>
  readonly timeline: Pick<CallTimeline, 'note' | 'sound'>
}

/** What readers of a timeline are told of; its beginning and its end are noted with more. */
const isMoment = (what: CallChange): what is 'ringing' | 'answered' | 'transferred' =>
  what === 'ringing' || what === 'answered' || what === 'transferred'

/** Tells the observers of calls, and the timelines of its accounts, what happens to a call. */
export class CallReports {
  readonly #call: ReportedCall

  constructor(call: ReportedCall) {
    this.#call = call
  }

  changed(what: CallChange): void {
    const facts = this.#facts()
    if (isMoment(what)) this.#call.timeline.note(what)
    for (const observer of this.#call.context.observers) this.#call.attempt(() => observer.changed(facts, what))
  }

  sound({ station, role }: Party, state: SoundState): void {
    const { id, context, timeline } = this.#call
    timeline.sound(state, role, station)
    if (station) noteSound(context, id, station, state)
    const phone = station && { accountId: station.accountId, deviceId: station.deviceId }
    for (const observer of context.observers) this.#call.attempt(() => observer.sound?.(id, state, phone))
  }

  #facts(): CallFacts {
    const { id: callId, from, to, startedAt, answeredAt, endedAt, end, trace, details, context } = this.#call
    return {
      callId,
      accountIds: details.sides.map(({ accountId }) => accountId),
      from: from.withheld ? undefined : from.number,
      to,
      startedAt,
      answeredAt,
      endedAt,
      end,
      at: context.clock.now(),
      trace,
      codecs: () => this.#call.codecs,
    }
  }
}
