import type { SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import type { Leg, NotResumed, Resumed, ResumeOptions, SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { Resumption } from '#core/telephone/call/takeover/rescue.ts'
import { readResumable, resumeCall, type ResumableCall } from '#core/telephone/call/takeover/resume-call.ts'
import { phone } from '#core/telephone/call/state/taker.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { readAssistant } from './resume-assistant.ts'

/** What does not know yet that it is over. */
const canBeNotified: readonly NotResumed[] = ['impossible', 'full']

/** A call that goes on here, and what is to be done in it. */
export interface TakenUp {
  call: Call
  work: () => Promise<void>
}

/** Who talks in a call that goes on: given its legs. */
type Begin = (legs: readonly Leg[]) => TakenUp

/** Goes on with a call that another process had until `aliveAt`: with all its phones, or not at all. */
export const resume = async (
  context: RoutingContext,
  saved: SavedCall,
  aliveAt: number,
  options: ResumeOptions = {},
): Promise<TakenUp | Resumption> => {
  const { dialogs } = saved.snapshot
  const resumable = await context.tasks.track(readResumable(context, saved))
  if (typeof resumable === 'string') return { goesOn: false, why: resumable, dialogs }
  const begin = resumable.course.taker === 'phone' ? talk(context, resumable) : await readAssistant(context, resumable, aliveAt)
  if (!begin) return { goesOn: false, why: 'its assistant is not there any more', dialogs }
  const resumed = await context.telephony.resume(dialogs, options)
  const legs = resumed.flatMap(({ leg }) => leg ?? [])
  return legs.length < dialogs.length ? notAll(legs, resumed, dialogs) : begin(legs)
}

const talk =
  (context: RoutingContext, resumable: ResumableCall): Begin =>
  (legs) => ({ call: resumeCall(context, resumable, legs, () => phone), work: () => Promise.resolve() })

const notAll = (legs: readonly Leg[], resumed: readonly Resumed[], dialogs: readonly SavedDialog[]): Resumption => {
  for (const leg of legs) void leg.hangUp('failed').catch(() => {})
  const reasons = resumed.map((one) => (one.leg ? undefined : one.reason))
  const why = reasons.filter((reason) => reason !== undefined).join(', ')
  return { goesOn: false, why, dialogs: dialogs.filter((_, at) => canBeNotified.some((reason) => reason === reasons[at])) }
}
