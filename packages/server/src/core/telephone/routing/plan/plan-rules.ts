import type { Overflow, RoutingRule, RoutingRules } from '@offhook/contract/v1/routing.ts'
import { evaluate, type Verdict } from '#core/account/schedules/evaluate.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { planOverflow } from './plan-overflow.ts'
import { ringSeconds, type Plan, type RoutingNote, type Step } from './plan.ts'

/** Where a call has arrived, as far as rules know it. */
export interface RoutedCall {
  accountId: string
  /** The line, group or other extension, or the flow. */
  place: string
  /** What may have rules, the first asked first, under the names that people know. */
  targets: readonly { id: string | undefined; name: string }[]
}

/** An action with all that is needed to carry it out and to tell of it. */
export interface PlannedAction {
  step: Step
  routed: RoutingNote
}

/**
 * What office hours and overflows make of the steps. The number is asked before what it leads to; the first rule that fits decides, and RING asks
 * the next. A flow that takes a call by a rule is not asked for its own hours.
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
  /** As people know it. */
  target: string
}

/** Most accounts have no rules, and one answer that is remembered says so. */
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
  const notifications = (step: Step, name = to): PlannedAction => ({ step, routed: { ...why, action, ...(name !== undefined && { to: name }) } })
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
