import type { ScheduleWish } from '@offhook/contract/v1/schedules.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Override, Schedule, Span } from '#core/kernel/ports/store/line.ts'
import { requireTimezone } from '#core/kernel/local-day.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { endOf, minuteOf } from './evaluate.ts'
import { namesOfTargets } from './targets.ts'

const maxSchedules = 50
/** Minimum span, because the search for the next change uses steps of this length. */
const minMinutes = 15

export const scheduleOf = async (tables: Tables, accountId: string, id: string): Promise<Schedule> => {
  const schedule = await tables.schedules.find(accountId, id)
  if (!schedule) throw new Problem('schedule_not_found')
  return schedule
}

export const createSchedule = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  id: string,
  input: ScheduleWish,
): Promise<Schedule> => {
  checkHours(input)
  await tables.accounts.lock(caller.accountId)
  if ((await tables.schedules.list(caller.accountId)).length >= maxSchedules)
    throw new Problem('conflict', `An account has at most ${maxSchedules} schedules.`)
  const schedule = { id, ...input, override: undefined, updatedAt: clock.now() }
  await tables.schedules.insert(caller.accountId, schedule)
  await auditByUser(tables, clock, caller, 'schedule.create', id, input)
  return schedule
}

export const changeSchedule = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, input: ScheduleWish): Promise<void> => {
  checkHours(input)
  await tables.accounts.lock(caller.accountId)
  await scheduleOf(tables, caller.accountId, id)
  await tables.schedules.update(caller.accountId, { id, ...input, updatedAt: clock.now() })
  await auditByUser(tables, clock, caller, 'schedule.change', id, input)
}

/** The account lock prevents a rule from being created concurrently. */
export const deleteSchedule = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId)
  await scheduleOf(tables, accountId, id)
  const users = await usersOf(tables, accountId, id)
  if (users.length > 0) {
    const names = await namesOfTargets(tables, accountId, users)
    throw new Problem('schedule_in_use', `This schedule is still in use: ${names.join(', ')}.`)
  }
  await tables.schedules.remove(accountId, id)
  await auditByUser(tables, clock, caller, 'schedule.delete', id)
}

/** Targets whose rules use the schedule. */
export const usersOf = async (tables: Tables, accountId: string, id: string): Promise<string[]> =>
  (await tables.routingRules.list(accountId))
    .filter(({ rules }) => rules.some(({ scheduleId }) => scheduleId === id))
    .map(({ target }) => target)

export const overrideSchedule = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  id: string,
  override: Override | undefined,
): Promise<void> => {
  await scheduleOf(tables, caller.accountId, id)
  if (override?.until !== undefined && override.until <= clock.now()) throw Problem.field('until', 'is over already')
  await tables.schedules.setOverride(caller.accountId, id, override)
  await auditByUser(tables, clock, caller, 'schedule.override', id, override ?? { state: null })
}

export const checkHours = ({ timeZone, week, days }: Pick<ScheduleWish, 'timeZone' | 'week' | 'days'>): void => {
  requireTimezone(timeZone, 'timeZone')
  for (const [day, spans] of Object.entries(week)) checkSpans(`week/${day}`, spans)
  const dates = new Set<string>()
  for (const [index, { date, open }] of days.entries()) {
    if (!isDate(date)) throw Problem.field(`days/${index}/date`, 'is no date')
    if (dates.has(date)) throw Problem.field(`days/${index}/date`, 'is there twice')
    dates.add(date)
    checkSpans(`days/${index}/open`, open)
  }
}

const checkSpans = (field: string, spans: readonly Span[]): void => {
  const inOrder = spans.toSorted((a, b) => minuteOf(a.from) - minuteOf(b.from))
  for (const [index, span] of inOrder.entries()) {
    if (endOf(span) - minuteOf(span.from) < minMinutes) throw Problem.field(field, `has a span shorter than ${minMinutes} minutes`)
    const next = inOrder[index + 1]
    if (next && endOf(span) > minuteOf(next.from)) throw Problem.field(field, 'has spans that overlap')
  }
}

/** Accepts `--02-29`, which exists in leap years. */
const isDate = (date: string): boolean => {
  const full = date.startsWith('--') ? `2024${date.slice(1)}` : date
  const at = new Date(`${full}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(full)
}
