import type { OutputOf } from '#api/use-service.ts'

export type Routing = OutputOf<'getRouting'>
type Rule = Routing['rules'][number]
type Overflow = Routing['overflow'][number]

/** The routing action as one choice: `FLOW:<id>`, `VOICEMAIL`, `VOICEMAIL:v0`, `FORWARD`, …; empty for the default. */
export interface Way {
  choice: string
  /** For FORWARD. */
  number: string
}

export interface RoutingValues {
  /** Empty: none. */
  scheduleId: string
  closed: Way
  noAnswer: Way
  seconds: number
  busy: Way
  unreachable: Way
}

export const nothing: Way = { choice: '', number: '' }
const defaultSeconds = 20

/** The form only supports a single rule, for closed hours. */
export const isPlain = ({ rules }: Routing): boolean => rules.length === 0 || (rules.length === 1 && rules[0]?.when === 'CLOSED')

export const valuesOf = (routing: Routing): RoutingValues => {
  const rule = isPlain(routing) ? routing.rules[0] : undefined
  const timed = routing.overflow.find(({ after }) => typeof after === 'number')
  const at = (after: Overflow['after']): Way => wayOf(routing.overflow.find((one) => one.after === after))
  return {
    scheduleId: rule?.scheduleId ?? '',
    closed: wayOf(rule),
    noAnswer: wayOf(timed),
    seconds: typeof timed?.after === 'number' ? timed.after : defaultSeconds,
    busy: at('BUSY'),
    unreachable: at('UNREACHABLE'),
  }
}

const wayOf = (one: Pick<Rule, 'action' | 'to'> | undefined): Way => {
  if (!one || one.action === 'RING') return nothing
  const { action, to } = one
  if (action === 'FORWARD') return { choice: action, number: to ?? '' }
  return { choice: to === undefined ? action : `${action}:${to}`, number: '' }
}

/** Keeps rules that the form does not support. */
export const routingOf = (values: RoutingValues, before: Routing): Routing => {
  const { scheduleId, closed, noAnswer, seconds, busy, unreachable } = values
  const rules = isPlain(before)
    ? scheduleId === ''
      ? []
      : actionOf(closed).map((action) => ({ scheduleId, when: 'CLOSED' as const, ...action }))
    : before.rules
  const after = (when: Overflow['after'], way: Way): Overflow[] => actionOf(way).map((action) => ({ after: when, ...action }) as Overflow)
  return { rules, overflow: [...after(seconds, noAnswer), ...after('BUSY', busy), ...after('UNREACHABLE', unreachable)] }
}

const actionOf = ({ choice, number }: Way): Pick<Rule, 'action' | 'to'>[] => {
  if (choice === '') return []
  const [action = '', to] = choice.split(':')
  const where = action === 'FORWARD' ? number : to
  return [{ action: action as Rule['action'], ...(where !== undefined && where !== '' && { to: where }) }]
}
