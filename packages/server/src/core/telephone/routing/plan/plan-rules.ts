import type { Overflow, RoutingRule, RoutingRules } from '@offhook/contract/v1/routing.ts'
import { evaluate, type Verdict } from '#core/account/schedules/evaluate.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { ringSeconds, type Plan, type RoutingNote, type Step, type PlannedOverflow } from './plan.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'

/** Position of a call for rule evaluation. */
interface RoutedCall {
  accountId: string
  /** Line, group, other extension, or flow. */
  place: string
  /** Targets that may have rules, in evaluation order, with display names. */
  targets: readonly { id: string | undefined; name: string }[]
}

/** An action with its step and its timeline note. */
interface PlannedAction {
  step: Step
  routed: RoutingNote
}

/**
 * Applies office hours and overflows to the steps. Rules of the number come before those of its destination; the first match decides, and RING
 * continues with the next target. A flow reached by a rule does not apply its own hours.
 */
export const applyRules = async (
  tables: Tables,
  ruled: RoutedCall,
  steps: readonly Step[],
  now: number,
): Promise<Pick<Plan, 'steps' | 'routed' | 'overflow'>> => {
  const all = await rulesOf(tables, ruled)
  for (const { target, rules } of all) {
    const fitting = await firstFitting(tables, ruled.accountId, rules, now)
    if (!fitting || fitting.rule.action === 'RING') continue
    const { step, routed } = await planAction(tables, ruled, fitting.rule, { target, ...fitting.because })
    return { steps: [step], routed }
  }
  const { target, overflow } = all.find((one) => one.overflow.length > 0) ?? { target: '', overflow: [] }
  if (overflow.length === 0) return { steps }
  const actions = await Promise.all(overflow.map((one) => overflowing(tables, ruled, target, one)))
  return planOverflow(steps, actions)
}

interface TargetRules extends RoutingRules {
  /** Display name. */
  target: string
}

/** Most accounts have no rules; a single cached read shows that. */
const rulesOf = async (tables: Tables, { accountId, targets }: RoutedCall): Promise<TargetRules[]> => {
  const known = await tables.routingRules.listTargets(accountId)
  if (known.length === 0) return []
  const concerned = targets.flatMap(({ id, name }) => (id !== undefined && known.includes(id) ? [{ id, name }] : []))
  const found = await Promise.all(
    concerned.map(async ({ id, name }) => ({ target: name, ...(await tables.routingRules.find(accountId, id)) })),
  )
  return found.map(({ target, rules = [], overflow = [] }) => ({ target, rules, overflow }))
}

interface Fitting {
  rule: RoutingRule
  because: Pick<RoutingNote, 'because' | 'schedule' | 'decidedBy' | 'day' | 'since'>
}

const firstFitting = async (
  tables: Tables,
  accountId: string,
  rules: readonly RoutingRule[],
  now: number,
): Promise<Fitting | undefined> => {
  for (const rule of rules) {
    const schedule = await tables.schedules.find(accountId, rule.scheduleId)
    const verdict = schedule && evaluate(schedule, now)
    if (verdict && verdict.open === (rule.when === 'OPEN')) return { rule, because: { ...notifiedOf(verdict), schedule: schedule.name } }
  }
  return undefined
}

const notifiedOf = ({ open, because, name, since }: Verdict): Omit<Fitting['because'], 'schedule'> => ({
  because: open ? 'OPEN' : 'CLOSED',
  decidedBy: because,
  ...(name !== undefined && { day: name }),
  ...(since !== undefined && { since }),
})

const overflowing = async (tables: Tables, ruled: RoutedCall, target: string, { after, ...input }: Overflow) => {
  const because = typeof after === 'number' ? 'NO_ANSWER' : after
  return { after, ...(await planAction(tables, ruled, input, { target, because })) }
}

const planAction = async (
  tables: Tables,
  { accountId, place }: RoutedCall,
  { action, to }: Pick<RoutingRule, 'action' | 'to'>,
  why: Omit<RoutingNote, 'action' | 'to'>,
): Promise<PlannedAction> => {
  const notifications = (step: Step, name = to): PlannedAction => ({
    step,
    routed: { ...why, action, ...(name !== undefined && { to: name }) },
  })
  switch (action) {
    case 'FLOW':
      return notifications({ kind: 'flow', flowId: to ?? '' }, (await tables.flows.find(accountId, to ?? ''))?.name)
    case 'VOICEMAIL': {
      const voicemailId = to ?? (await tables.voicemails.listByOwner(accountId, place))[0]?.id
      return notifications(voicemailId === undefined ? unavailable : { kind: 'voicemail', voicemailId })
    }
    case 'FORWARD':
      return notifications({ kind: 'forward', to: to ?? '', seconds: ringSeconds })
    case 'ANNOUNCE':
      return notifications({ kind: 'announce', prompt: why.because === 'CLOSED' ? 'closed' : 'not-available' })
    case 'REFUSE':
    case 'RING':
    default:
      return notifications(unavailable)
  }
}

const unavailable: Step = { kind: 'reject', cause: 'unavailable' }

interface OverflowAction {
  after: Overflow['after']
  step: Step
  routed: RoutingNote
}

/**
 * An overflow takes over from phones and forwardings and replaces the voicemail at their end: an assistant for unanswered calls implies that
 * the voicemail does not answer. Its seconds count from the first ring.
 */
const planOverflow = (steps: readonly Step[], actions: readonly OverflowAction[]): Pick<Plan, 'steps' | 'overflow'> => {
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

/** False for callers rejected on purpose or routed to the voicemail immediately. */
const canOverflow = (step: Step): boolean =>
  step.kind === 'ring' || step.kind === 'forward' || step.kind === 'flow' || (step.kind === 'reject' && step.cause === 'busy_on_busy')

/** Steps that rang until the voicemail answered ring until the overflow takes over. */
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

/** Action after all steps failed. Busy and unreachable phones count as unanswered unless they have their own rule. */
export const chosenOverflow = ({ by }: PlannedOverflow, cause: Cause) => {
  if (cause === 'busy') return by.BUSY ?? by.NO_ANSWER
  if (unreachable.includes(cause)) return by.UNREACHABLE ?? by.NO_ANSWER
  return cause === 'no_answer' || cause === 'rejected' ? by.NO_ANSWER : undefined
}
