import { Problem } from '@offhook/contract/problem.ts'
import type { Schedule as ScheduleElement, scheduleOperations } from '@offhook/contract/v1/schedules.ts'
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  overrideSchedule,
  scheduleOf,
  usersOf,
} from '#core/account/schedules/change-schedule.ts'
import { changesAt, dayEndsAt } from '#core/account/schedules/changes-at.ts'
import { evaluate, overridden } from '#core/account/schedules/evaluate.ts'
import type { Schedule } from '#core/kernel/ports/store/line.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const scheduleHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof scheduleOperations> => {
  const toElement = async (accountId: string, schedule: Schedule): Promise<ScheduleElement> =>
    toScheduleElement(schedule, clock.now(), await usersOf(store.read, accountId, schedule.id))
  return {
    listSchedules: async ({ caller: { accountId } }) => {
      const schedules = await store.read.schedules.list(accountId)
      return { items: await Promise.all(schedules.map((schedule) => toElement(accountId, schedule))) }
    },

    createSchedule: async ({ caller, body, effectId }) =>
      toElement(caller.accountId, await store.write((tables) => createSchedule(tables, clock, caller, effectId, body))),

    getSchedule: async ({ caller: { accountId }, params }) =>
      toElement(accountId, await scheduleOf(store.read, accountId, params.scheduleId)),

    changeSchedule: ({ caller, params, body }) => store.write((tables) => changeSchedule(tables, clock, caller, params.scheduleId, body)),

    deleteSchedule: ({ caller, params }) => store.write((tables) => deleteSchedule(tables, clock, caller, params.scheduleId)),

    overrideSchedule: ({ caller, params, body: { state, until } }) => {
      const override = state === null ? undefined : { state, ...(until !== undefined && { until: momentOf('until', until) }) }
      return store.write((tables) => overrideSchedule(tables, clock, caller, params.scheduleId, override))
    },

    getScheduleState: async ({ caller, params, query: { at } }) =>
      stateAt(await scheduleOf(store.read, caller.accountId, params.scheduleId), at === undefined ? clock.now() : momentOf('at', at)),
  }
}

/** Far times have no calendar date that could be written. */
const momentOf = (field: string, written: string): number => {
  const at = Date.parse(written)
  if (Number.isNaN(at) || at < 0 || at > Date.UTC(2200, 0)) throw Problem.field(field, 'must be a moment such as 2027-01-31T14:30:00Z')
  return at
}

const stateAt = (schedule: Schedule, at: number): ScheduleElement['state'] => {
  const change = changesAt(schedule, at)
  return {
    ...evaluate(schedule, at),
    ...(change !== undefined && { changesAt: new Date(change).toISOString() }),
    dayEndsAt: new Date(dayEndsAt(schedule, at)).toISOString(),
  }
}

const toScheduleElement = (schedule: Schedule, now: number, usedBy: string[]): ScheduleElement => {
  const { id, name, timeZone, week, days, override, updatedAt } = schedule
  const until = override?.until
  const shown = override && { state: override.state, ...(until !== undefined && { until: new Date(until).toISOString() }) }
  return {
    id,
    name,
    timeZone,
    week: week as ScheduleElement['week'],
    days: days as ScheduleElement['days'],
    override: overridden(schedule, now) && shown ? shown : null,
    updatedAt: new Date(updatedAt).toISOString(),
    state: stateAt(schedule, now),
    usedBy,
  }
}
