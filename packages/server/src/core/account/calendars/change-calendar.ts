import type { CalendarInput } from '@offhook/contract/v3/calendars.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Calendar } from '#core/kernel/ports/store/calendar.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { checkHours } from '../schedules/change-schedule.ts'

const maxCalendars = 50

export const calendarOf = async (tables: Tables, accountId: string, id: string): Promise<Calendar> => {
  const calendar = await tables.calendars.find(accountId, id)
  if (!calendar) throw new Problem('calendar_not_found')
  return calendar
}

export const createCalendar = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  id: string,
  { name, ...settings }: CalendarInput,
): Promise<Calendar> => {
  checkSettings(settings)
  await tables.accounts.lock(caller.accountId)
  if ((await tables.calendars.list(caller.accountId)).length >= maxCalendars)
    throw new Problem('conflict', `An account has at most ${maxCalendars} calendars.`)
  const calendar = { id, name, settings, updatedAt: clock.now() }
  await tables.calendars.insert(caller.accountId, calendar)
  await auditByUser(tables, clock, caller, 'calendar.create', id, { name, ...settings })
  return calendar
}

/** Bookings of people and services that are gone stay. */
export const changeCalendar = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  id: string,
  { name, ...settings }: CalendarInput,
): Promise<void> => {
  checkSettings(settings)
  if (!(await tables.calendars.lock(caller.accountId, id))) throw new Problem('calendar_not_found')
  await tables.calendars.update(caller.accountId, { id, name, settings, updatedAt: clock.now() })
  await auditByUser(tables, clock, caller, 'calendar.change', id, { name, ...settings })
}

export const deleteCalendar = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  if (!(await tables.calendars.lock(caller.accountId, id))) throw new Problem('calendar_not_found')
  await tables.calendars.remove(caller.accountId, id)
  await auditByUser(tables, clock, caller, 'calendar.delete', id)
}

const checkSettings = (settings: Calendar['settings']): void => {
  const { timeZone, week, days, people, services } = settings
  checkHours({ timeZone, week, days })
  checkDistinct('people', people)
  checkDistinct('services', services)
  for (const [index, person] of people.entries())
    within(`people/${index}`, () => checkHours({ timeZone, week: person.week ?? {}, days: person.days ?? [] }))
  for (const [index, service] of services.entries()) {
    const stranger = service.people?.find((id) => people.every((person) => person.id !== id))
    if (stranger !== undefined) throw Problem.field(`services/${index}/people`, `names ${stranger}, who is not among the people`)
  }
}

const checkDistinct = (field: string, list: readonly { id: string }[]): void => {
  const known = new Set<string>()
  for (const [index, { id }] of list.entries()) {
    if (known.has(id)) throw Problem.field(`${field}/${index}/id`, 'is there twice')
    known.add(id)
  }
}

/** Names the place of a field that is part of another. */
const within = (place: string, check: () => void): void => {
  try {
    check()
  } catch (error) {
    const [detail] = error instanceof Problem ? (error.details ?? []) : []
    if (!detail) throw error
    throw Problem.field(`${place}/${detail.field}`, detail.problem)
  }
}
