import { Type, type Static } from 'typebox'
import { verdictReasons } from '../office-hours.ts'
import { operation } from '../operation.ts'
import { DisplayName, Input, Items, Nullable, OneOf, Output, RequiredText, Timestamp } from '../values.ts'

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export const overrideStates = ['OPEN', 'CLOSED'] as const

const time = '([01][0-9]|2[0-3]):[0-5][0-9]'

/** A span that ends at or before its start crosses midnight and belongs to the day on which it starts. */
export const OpenSpan = Input({
  from: Type.String({ pattern: `^${time}$`, description: 'By the clock on the wall: 09:00' }),
  to: Type.String({ pattern: `^(${time}|24:00)$`, description: 'Not open any more at this time; up to 24:00' }),
})

const Spans = Type.Array(OpenSpan, { maxItems: 4, description: 'None: closed all day' })

export const OpenWeek = Input({
  MO: Type.Optional(Spans),
  TU: Type.Optional(Spans),
  WE: Type.Optional(Spans),
  TH: Type.Optional(Spans),
  FR: Type.Optional(Spans),
  SA: Type.Optional(Spans),
  SU: Type.Optional(Spans),
})

export const SpecialDay = Input({
  date: Type.String({ pattern: '^([0-9]{4}|-)-[0-9]{2}-[0-9]{2}$', description: '2027-12-24, or --12-24 for every year' }),
  name: DisplayName,
  open: Spans,
})

export const ScheduleState = Output({
  open: Type.Boolean(),
  because: OneOf(verdictReasons, { description: 'What decided: the switch, a special day or the week' }),
  name: Type.Optional(Type.String({ description: 'Of the special day' })),
  since: Type.Optional(Type.String({ description: 'Since when it has been closed today, by the clock on the wall: 17:00' })),
  changesAt: Type.Optional(Timestamp),
  dayEndsAt: Type.String({ description: 'Midnight in the time zone of the schedule; ISO 8601, UTC' }),
})

export const Schedule = Output({
  id: Type.String(),
  name: Type.String(),
  timeZone: Type.String(),
  week: OpenWeek,
  days: Type.Array(SpecialDay),
  override: Nullable(Output({ state: OneOf(overrideStates), until: Type.Optional(Timestamp) })),
  updatedAt: Timestamp,
  state: ScheduleState,
  usedBy: Type.Array(Type.String(), { description: 'Lines, groups, numbers and flows whose rules ask for it' }),
})
export type Schedule = Static<typeof Schedule>

export const ScheduleWish = Input({
  name: DisplayName,
  timeZone: RequiredText(64),
  week: OpenWeek,
  days: Type.Array(SpecialDay, { maxItems: 400 }),
})
export type ScheduleWish = Static<typeof ScheduleWish>

const reading = { auth: 'user', bearer: true, scopes: ['settings:read'], permission: 'CAN_GET_SCHEDULES', status: 200 } as const
const changing = { auth: 'user', bearer: true, scopes: ['settings:write'], permission: 'CAN_CHANGE_SCHEDULES' } as const

export const scheduleOperations = {
  listSchedules: operation({
    ...reading,
    id: 'listSchedules',
    method: 'GET',
    path: '/v1/schedules',
    summary: 'The office hours of the account, by name, and whether it is open now',
    reply: Items(Schedule),
  }),
  createSchedule: operation({
    ...changing,
    id: 'createSchedule',
    method: 'POST',
    path: '/v1/schedules',
    summary: 'Office hours: a week, days that differ, a time zone',
    body: ScheduleWish,
    bodyLimit: 200_000,
    status: 201,
    reply: Schedule,
    errors: ['conflict'],
  }),
  getSchedule: operation({
    ...reading,
    id: 'getSchedule',
    method: 'GET',
    path: '/v1/schedules/{scheduleId}',
    summary: 'One schedule',
    reply: Schedule,
    errors: ['schedule_not_found'],
  }),
  changeSchedule: operation({
    ...changing,
    id: 'changeSchedule',
    method: 'PUT',
    path: '/v1/schedules/{scheduleId}',
    summary: 'Set a schedule anew; its switch for the day stays as it is',
    body: ScheduleWish,
    bodyLimit: 200_000,
    status: 204,
    errors: ['schedule_not_found'],
  }),
  deleteSchedule: operation({
    ...changing,
    id: 'deleteSchedule',
    method: 'DELETE',
    path: '/v1/schedules/{scheduleId}',
    summary: 'Delete a schedule that no rule asks for any more',
    status: 204,
    errors: ['schedule_not_found', 'schedule_in_use'],
  }),
  overrideSchedule: operation({
    ...changing,
    id: 'overrideSchedule',
    method: 'PUT',
    path: '/v1/schedules/{scheduleId}/override',
    summary: 'The switch for the day: open or closed whatever the schedule says, until a moment or until it is switched back (null)',
    permission: 'CAN_OVERRIDE_SCHEDULE',
    body: Input({
      state: Nullable(OneOf(overrideStates)),
      until: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601; missing: until it is switched back' })),
    }),
    status: 204,
    errors: ['schedule_not_found'],
  }),
  getScheduleState: operation({
    ...reading,
    id: 'getScheduleState',
    method: 'GET',
    path: '/v1/schedules/{scheduleId}/state',
    summary: 'Whether it is open, now or at another moment, and when that changes',
    query: Input({ at: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601; missing: now' })) }),
    reply: ScheduleState,
    errors: ['schedule_not_found'],
  }),
}
