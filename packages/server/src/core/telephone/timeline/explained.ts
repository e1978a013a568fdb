import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { text, type Locale, type TextKey } from '#core/kernel/translations/index.ts'

type Ended = Pick<TimelineEntryOf<'call'>, 'by' | 'reason' | 'cause'>

/** Combinations with a more specific explanation than the reason alone. */
const precise: readonly { of: Ended; key: TextKey }[] = [
  { of: { reason: 'failed', cause: 'not_found' }, key: 'call.end.not_found' },
  { of: { reason: 'failed', cause: 'loop' }, key: 'call.end.loop' },
  { of: { reason: 'failed', cause: 'not_acceptable' }, key: 'call.end.not_acceptable' },
  { of: { reason: 'failed', cause: 'unavailable' }, key: 'call.end.unavailable' },
  { of: { reason: 'failed', cause: 'unreachable' }, key: 'call.end.unavailable' },
  { of: { reason: 'failed', cause: 'overloaded' }, key: 'call.end.overloaded' },
  { of: { reason: 'failed', by: 'service' }, key: 'call.end.failed_here' },
  { of: { reason: 'insufficient_funds', cause: 'call_limit_reached' }, key: 'call.end.call_limit_reached' },
  { of: { reason: 'insufficient_funds', cause: 'daily_limit_reached' }, key: 'call.end.daily_limit_reached' },
  { of: { reason: 'insufficient_funds', cause: 'leash_spent' }, key: 'call.end.leash_spent' },
  { of: { reason: 'busy', cause: 'do_not_disturb' }, key: 'call.end.do_not_disturb' },
  { of: { reason: 'rejected', cause: 'anonymity_refused' }, key: 'call.end.anonymity_refused' },
  { of: { reason: 'rejected', cause: 'forbidden' }, key: 'call.end.forbidden' },
]

/** Explains the end of a call to readers. */
export const explainEnd = (ended: Ended, locale: Locale): string => {
  const found = precise.find(({ of }) => (Object.keys(of) as (keyof Ended)[]).every((name) => of[name] === ended[name]))
  return text(locale, found?.key ?? `call.end.${ended.reason ?? 'failed'}`)
}

type Routed = Pick<TimelineEntryOf<'routing'>, 'because' | 'schedule' | 'decidedBy' | 'day' | 'since' | 'action' | 'to'>

/** Explains which rule routed the call and where: closed since 17:00 (Office): assistant Reception. */
export const explainRouting = (routed: Routed, locale: Locale): string => {
  const { schedule = '', day = '', since = '', action, to } = routed
  const why = text(locale, keyOf(routed), { schedule, day, since })
  const where = text(locale, to === undefined ? `routing.${action}` : `routing.${action}.to`, { to: to ?? '' })
  return `${why}: ${where}`
}

const keyOf = ({ because, decidedBy, since }: Routed): TextKey => {
  if (because !== 'OPEN' && because !== 'CLOSED') return `routing.${because}`
  if (decidedBy === 'OVERRIDE') return `routing.${because}.switch`
  if (decidedBy === 'DAY') return `routing.${because}.day`
  return because === 'CLOSED' && since !== undefined ? 'routing.CLOSED.since' : `routing.${because}`
}
