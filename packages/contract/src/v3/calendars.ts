import { Type, type Static } from 'typebox'
import { operation } from '../operation.ts'
import { DisplayName, Email, Input, Items, OneOf, Output, RequiredText, Text, Timestamp } from '../values.ts'
import { OpenWeek, SpecialDay } from '../v1/schedules.ts'

/** A booking takes whole cells of this length, and no cell twice. */
export const cellMinutes = 5

export const bookingStates = ['HELD', 'CONFIRMED', 'CANCELLED'] as const

const Slug = (description: string) => Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$', description })
const Minutes = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, multipleOf: cellMinutes, description })

export const CalendarService = Input({
  id: Slug('Small letters, digits, underscores: haircut'),
  name: DisplayName,
  minutes: Minutes(cellMinutes, 720, 'How long it takes'),
  before: Type.Optional(Minutes(0, 240, 'Minutes that stay free before it')),
  after: Type.Optional(Minutes(0, 240, 'Minutes that stay free after it')),
  people: Type.Optional(
    Type.Array(Type.String({ maxLength: 40 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Ids of the people who do it; missing: everybody',
    }),
  ),
})

export const CalendarPerson = Input({
  id: Slug('Small letters, digits, underscores: dr_lee'),
  name: DisplayName,
  email: Type.Optional(Email),
  week: Type.Optional(OpenWeek),
  days: Type.Optional(Type.Array(SpecialDay, { maxItems: 100, description: 'Holidays and other days that differ' })),
})

/** All settings of a calendar. */
export const CalendarInput = Input({
  name: DisplayName,
  timeZone: RequiredText(64),
  week: OpenWeek,
  days: Type.Array(SpecialDay, { maxItems: 100, description: 'Days that differ, for everybody' }),
  services: Type.Array(CalendarService, { minItems: 1, maxItems: 50 }),
  people: Type.Array(CalendarPerson, { minItems: 1, maxItems: 50, description: 'Each has a diary: one booking at a time' }),
  stepMinutes: Type.Optional(Minutes(cellMinutes, 120, 'Bookings begin every so many minutes; default 15')),
  noticeMinutes: Type.Optional(Type.Integer({ minimum: 0, maximum: 43_200, description: 'Earliest booking from now; default 0' })),
  horizonDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, description: 'Latest booking from now; default 60' })),
  holdMinutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 60, description: 'How long a held slot waits for its confirmation; default 5' }),
  ),
})
export type CalendarInput = Static<typeof CalendarInput>

export const Calendar = Output({ id: Type.String(), ...CalendarInput.properties, updatedAt: Timestamp })
export type Calendar = Static<typeof Calendar>

const visitor = {
  name: Type.Optional(Text(200)),
  phone: Type.Optional(Text(40)),
  email: Type.Optional(Email),
  note: Type.Optional(Text(1000)),
}

export const Booking = Output({
  id: Type.String(),
  calendarId: Type.String(),
  service: Type.String(),
  person: Type.String(),
  start: Timestamp,
  end: Timestamp,
  state: OneOf(bookingStates),
  holdUntil: Type.Optional(Timestamp),
  ...visitor,
  callId: Type.Optional(Type.String({ description: 'The call in which it was booked' })),
  spoken: Type.String({ description: 'The time as people say it, in the time zone of the calendar' }),
  revision: Type.Integer({ description: 'Counts changes' }),
  createdAt: Timestamp,
  changedAt: Timestamp,
})
export type Booking = Static<typeof Booking>

export const FreeSlot = Output({
  start: Timestamp,
  end: Timestamp,
  people: Type.Array(Type.String(), { description: 'Who is free' }),
  spoken: Type.String({ description: 'As people say it: tomorrow, Friday, at 9:30 am' }),
})
export type FreeSlot = Static<typeof FreeSlot>

const Moment = Type.String({ maxLength: 40, description: 'ISO 8601: 2027-01-31T14:30:00Z' })
const Language = Type.Optional(Type.String({ maxLength: 20, description: 'BCP 47, of what is said; default: the language of the account' }))

const common = { auth: 'user', bearer: true, scopes: ['all'] } as const
const reading = { ...common, permission: 'CAN_GET_CALENDARS', status: 200 } as const
const changing = { ...common, permission: 'CAN_CHANGE_CALENDARS', bodyLimit: 400_000 } as const
const booking = { ...common, permission: 'CAN_BOOK' } as const
const one = '/v3/calendars/{calendarId}'
const oneBooking = `${one}/bookings/{bookingId}` as const

export const calendarOperations = {
  listCalendars: operation({
    ...reading,
    id: 'listCalendars',
    method: 'GET',
    path: '/v3/calendars',
    summary: 'The calendars of the account, by name',
    reply: Items(Calendar),
  }),
  createCalendar: operation({
    ...changing,
    id: 'createCalendar',
    method: 'POST',
    path: '/v3/calendars',
    summary: 'A calendar that assistants and programs book in: services, people, hours',
    idempotent: true,
    body: CalendarInput,
    status: 201,
    reply: Calendar,
    errors: ['conflict'],
  }),
  getCalendar: operation({
    ...reading,
    id: 'getCalendar',
    method: 'GET',
    path: one,
    summary: 'One calendar',
    reply: Calendar,
    errors: ['calendar_not_found'],
  }),
  changeCalendar: operation({
    ...changing,
    id: 'changeCalendar',
    method: 'PUT',
    path: one,
    summary: 'Set a calendar anew; its bookings stay',
    body: CalendarInput,
    status: 204,
    errors: ['calendar_not_found'],
  }),
  deleteCalendar: operation({
    ...changing,
    id: 'deleteCalendar',
    method: 'DELETE',
    path: one,
    summary: 'Delete a calendar with its bookings',
    status: 204,
    errors: ['calendar_not_found'],
  }),
  findFreeSlots: operation({
    ...reading,
    id: 'findFreeSlots',
    heavy: true,
    method: 'GET',
    path: `${one}/slots`,
    summary: 'Free slots of a service, the earliest first, with the words for them',
    query: Input({
      service: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Missing: the first one' })),
      person: Type.Optional(RequiredText(40)),
      from: Type.Optional(Moment),
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: 31, description: 'How far to look; default 7' })),
      max: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Default 20' })),
      language: Language,
    }),
    reply: Output({ items: Type.Array(FreeSlot), spoken: Type.String({ description: 'All of them in one sentence' }) }),
    errors: ['calendar_not_found'],
  }),
  listBookings: operation({
    ...reading,
    id: 'listBookings',
    heavy: true,
    method: 'GET',
    path: `${one}/bookings`,
    summary: 'Bookings of at most 62 days, the earliest first, without those that were cancelled',
    query: Input({ from: Type.Optional(Moment), to: Type.Optional(Moment) }),
    description: 'Missing times: from now on, for seven days.',
    reply: Items(Booking),
    errors: ['calendar_not_found'],
  }),
  createBooking: operation({
    ...booking,
    id: 'createBooking',
    method: 'POST',
    path: `${one}/bookings`,
    summary: 'Hold a free slot for some minutes, or book it at once; nobody else can have it then',
    idempotent: true,
    body: Input({
      service: RequiredText(40),
      person: Type.Optional(RequiredText(40)),
      start: Moment,
      ...visitor,
      confirm: Type.Optional(Type.Boolean({ default: false, description: 'True: booked at once' })),
    }),
    status: 201,
    reply: Booking,
    errors: ['calendar_not_found', 'slot_taken'],
  }),
  getBooking: operation({
    ...reading,
    id: 'getBooking',
    method: 'GET',
    path: oneBooking,
    summary: 'One booking',
    reply: Booking,
    errors: ['calendar_not_found', 'booking_not_found'],
  }),
  confirmBooking: operation({
    ...booking,
    id: 'confirmBooking',
    method: 'POST',
    path: `${oneBooking}/confirm`,
    summary: 'Book what is held; a confirmed booking stays as it is, but for the fields that are given',
    body: Input(visitor),
    status: 200,
    reply: Booking,
    errors: ['calendar_not_found', 'booking_not_found', 'hold_expired', 'booking_cancelled'],
  }),
  moveBooking: operation({
    ...booking,
    id: 'moveBooking',
    method: 'POST',
    path: `${oneBooking}/move`,
    summary: 'Move a booking to another free slot; it keeps the old one if the new one is taken',
    body: Input({ start: Moment, person: Type.Optional(RequiredText(40)) }),
    status: 200,
    reply: Booking,
    errors: ['calendar_not_found', 'booking_not_found', 'slot_taken', 'hold_expired', 'booking_cancelled'],
  }),
  cancelBooking: operation({
    ...booking,
    id: 'cancelBooking',
    method: 'DELETE',
    path: oneBooking,
    summary: 'Cancel a booking, or release what is held: the slot is free again',
    status: 204,
    errors: ['calendar_not_found', 'booking_not_found'],
  }),
}
