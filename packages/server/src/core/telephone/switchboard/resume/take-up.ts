import type { SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import type { Leg, NotResumed, Resumed, ResumeOptions, SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { GoneOn } from '#core/telephone/call/recover/rescue.ts'
import { readResumable, resumeCall } from '#core/telephone/call/recover/resume-call.ts'
import { phone } from '#core/telephone/call/state/taker.ts'
import type { SwitchboardContext } from '../find/switchboard-context.ts'

/** What does not know yet that it is over. */
const canBeTold: readonly NotResumed[] = ['impossible', 'full']

/** Goes on with a call that another process had: with all its phones, or not at all. */
export const takeUp = async (context: SwitchboardContext, saved: SavedCall, options: ResumeOptions = {}): Promise<Call | GoneOn> => {
  const { dialogs } = saved.snapshot
  const resumable = await readResumable(context, saved)
  if (typeof resumable === 'string') return { goesOn: false, why: resumable, dialogs }
  if (resumable.course.taker !== 'phone') return { goesOn: false, why: 'it was with an assistant', dialogs }
  const resumed = await context.telephony.resume(dialogs, options)
  const legs = resumed.flatMap(({ leg }) => leg ?? [])
  if (legs.length < dialogs.length) return notAll(legs, resumed, dialogs)
  return resumeCall(context, resumable, legs, () => phone)
}

const notAll = (legs: readonly Leg[], resumed: readonly Resumed[], dialogs: readonly SavedDialog[]): GoneOn => {
  for (const leg of legs) void leg.hangUp('failed').catch(() => {})
  const reasons = resumed.map((one) => (one.leg ? undefined : one.reason))
  const why = reasons.filter((reason) => reason !== undefined).join(', ')
  return { goesOn: false, why, dialogs: dialogs.filter((_, at) => canBeTold.some((reason) => reason === reasons[at])) }
}
