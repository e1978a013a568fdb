import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { text, type Locale, type TextKey } from '#core/kernel/translations/index.ts'

type Routed = Pick<TimelineEntryOf<'routing'>, 'because' | 'schedule' | 'decidedBy' | 'day' | 'since' | 'action' | 'to'>

/** Why a rule led the call, and where to: closed since 17:00 (Office): assistant Reception. */
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
