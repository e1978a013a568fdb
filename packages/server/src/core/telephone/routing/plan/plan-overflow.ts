import type { Overflow } from '@offhook/contract/v1/routing.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import type { PlannedOverflow, Plan, Step, RoutingNote } from './plan.ts'

interface PlannedAction {
  after: Overflow['after']
  step: Step
  routed: RoutingNote
}

/**
 * An overflow takes over from phones and forwardings, before the voicemail at their end: who says that an assistant answers when nobody does means
 * that the voicemail does not. Its seconds count from the first ringing.
 */
export const planOverflow = (steps: readonly Step[], actions: readonly PlannedAction[]): Pick<Plan, 'steps' | 'overflow'> => {
  const last = steps.at(-1)
  const endsInVoicemail = steps.length > 1 && last?.kind === 'voicemail'
  const tried = endsInVoicemail ? steps.slice(0, -1) : steps
  if (!tried.some(canOverflow)) return { steps }
  const timed = actions.find(({ after }) => typeof after === 'number')
  const seconds = typeof timed?.after === 'number' ? timed.after : undefined
  const by = Object.fromEntries(
    actions.map(({ after, step, routed }) => [typeof after === 'number' ? 'NO_ANSWER' : after, { step, routed }]),
  )
  return { steps: lengthened(tried, seconds), overflow: { seconds, by, voicemail: endsInVoicemail ? [last] : [] } }
}

/** Neither a caller who is refused on purpose nor one who is led to the voicemail at once. */
const canOverflow = (step: Step): boolean =>
  step.kind === 'ring' || step.kind === 'forward' || step.kind === 'flow' || (step.kind === 'reject' && step.cause === 'busy_on_busy')

/** What rang until the voicemail answered rings until the overflow takes over. */
const lengthened = (steps: readonly Step[], seconds: number | undefined): Step[] =>
  steps.map((step, index) =>
    seconds !== undefined && index === steps.length - 1 && (step.kind === 'ring' || step.kind === 'forward')
      ? { ...step, seconds: Math.max(step.seconds, seconds) }
      : step,
  )

const unreachable: readonly Cause[] = [
  'unavailable',
  'unreachable',
  'do_not_disturb',
  'out_of_service',
  'overloaded',
  'failed',
  'not_found',
]

/** What is done after all that was tried. Phones that are busy or away will not answer either: without a rule of their own they count as such. */
export const chosenOverflow = ({ by }: PlannedOverflow, cause: Cause) => {
  if (cause === 'busy') return by.BUSY ?? by.NO_ANSWER
  if (unreachable.includes(cause)) return by.UNREACHABLE ?? by.NO_ANSWER
  return cause === 'no_answer' || cause === 'rejected' ? by.NO_ANSWER : undefined
}
