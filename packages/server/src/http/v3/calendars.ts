import { Problem } from '@offhook/contract/problem.ts'
import type { Booking as BookingElement, Calendar as CalendarElement, calendarOperations } from '@offhook/contract/v3/calendars.ts'
import { bookingOf, cancelBooking, confirmBooking, holdSlot, moveBooking, serviceOf } from '#core/account/calendars/book.ts'
import { calendarOf, changeCalendar, createCalendar, deleteCalendar } from '#core/account/calendars/change-calendar.ts'
import { freeSlots, isActive } from '#core/account/calendars/free-slots.ts'
import { spokenTime, spokenTimes } from '#core/account/calendars/spoken.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Booking, Calendar } from '#core/kernel/ports/store/calendar.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

const dayMs = 24 * 60 * 60_000
const defaults = { days: 7, max: 20 }
const maxListedDays = 62

export const calendarHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof calendarOperations> => {
  const languageOf = async (accountId: string): Promise<string> =>
    ((await store.read.accounts.find(accountId))?.locale ?? 'en_US').replace('_', '-')
  const toElement = async (accountId: string, booking: Booking): Promise<BookingElement> => {
    const { settings } = await calendarOf(store.read, accountId, booking.calendarId)
    return toBookingElement(booking, { language: await languageOf(accountId), timeZone: settings.timeZone, now: clock.now() })
  }
  const placeOf = (caller: { accountId: string }, { calendarId }: { calendarId: string }) => ({
    accountId: caller.accountId,
    calendarId,
    now: clock.now(),
  })
  return {
    listCalendars: async ({ caller: { accountId } }) => ({ items: (await store.read.calendars.list(accountId)).map(toCalendarElement) }),

    createCalendar: async ({ caller, body, effectId }) =>
      toCalendarElement(await store.write((tables) => createCalendar(tables, clock, caller, effectId, body))),

    getCalendar: async ({ caller, params }) => toCalendarElement(await calendarOf(store.read, caller.accountId, params.calendarId)),

    changeCalendar: ({ caller, params, body }) => store.write((tables) => changeCalendar(tables, clock, caller, params.calendarId, body)),

    deleteCalendar: ({ caller, params }) => store.write((tables) => deleteCalendar(tables, clock, caller, params.calendarId)),

    findFreeSlots: async ({ caller: { accountId }, params: { calendarId }, query }) => {
      const { settings, ...calendar } = await calendarOf(store.read, accountId, calendarId)
      const now = clock.now()
      const from = query.from === undefined ? now : momentOf('from', query.from)
      const to = from + (query.days ?? defaults.days) * dayMs
      const service = serviceOf({ settings, ...calendar }, query.service ?? settings.services[0]?.id ?? '')
      const bookings = await store.read.bookings.listBetween(accountId, calendarId, from - dayMs, to + dayMs)
      const found = freeSlots(settings, { service, person: query.person, from, to, now, limit: query.max ?? defaults.max, bookings })
      const listening = { language: query.language ?? (await languageOf(accountId)), timeZone: settings.timeZone, now }
      return {
        items: found.map(({ startsAt, endsAt, people }) => ({
          start: isoOf(startsAt),
          end: isoOf(endsAt),
          people,
          spoken: spokenTime(startsAt, listening),
        })),
        spoken: spokenTimes(
          found.map(({ startsAt }) => startsAt),
          listening,
        ),
      }
    },

    listBookings: async ({ caller: { accountId }, params: { calendarId }, query }) => {
      const { settings } = await calendarOf(store.read, accountId, calendarId)
      const from = query.from === undefined ? clock.now() : momentOf('from', query.from)
      const to = query.to === undefined ? from + defaults.days * dayMs : momentOf('to', query.to)
      if (to <= from || to - from > maxListedDays * dayMs) throw Problem.field('to', `must be after from, by at most ${maxListedDays} days`)
      const now = clock.now()
      const found = await store.read.bookings.listBetween(accountId, calendarId, from, to)
      const listening = { language: await languageOf(accountId), timeZone: settings.timeZone, now }
      return { items: found.filter((one) => isActive(one, now)).map((one) => toBookingElement(one, listening)) }
    },

    createBooking: async ({ caller, params, body, effectId }) => {
      const { start, confirm = false, service, person, name, phone, email, note } = body
      const startsAt = momentOf('start', start)
      const input = { id: effectId, service, person, startsAt, isConfirmed: confirm, name, phone, email, note, callId: undefined }
      const booking = await store.write(async (tables) => {
        const held = await holdSlot(tables, placeOf(caller, params), input)
        await auditByUser(tables, clock, caller, 'booking.create', held.id, { calendarId: held.calendarId, start, state: held.state })
        return held
      })
      return toElement(caller.accountId, booking)
    },

    getBooking: async ({ caller, params }) => {
      await calendarOf(store.read, caller.accountId, params.calendarId)
      return toElement(caller.accountId, await bookingOf(store.read, placeOf(caller, params), params.bookingId))
    },

    confirmBooking: async ({ caller, params, body }) => {
      const booking = await store.write(async (tables) => {
        const confirmed = await confirmBooking(tables, placeOf(caller, params), params.bookingId, body)
        await auditByUser(tables, clock, caller, 'booking.confirm', confirmed.id, { calendarId: confirmed.calendarId })
        return confirmed
      })
      return toElement(caller.accountId, booking)
    },

    moveBooking: async ({ caller, params, body: { start, person } }) => {
      const startsAt = momentOf('start', start)
      const booking = await store.write(async (tables) => {
        const moved = await moveBooking(tables, placeOf(caller, params), params.bookingId, { startsAt, person })
        await auditByUser(tables, clock, caller, 'booking.move', moved.id, { calendarId: moved.calendarId, start })
        return moved
      })
      return toElement(caller.accountId, booking)
    },

    cancelBooking: ({ caller, params }) =>
      store.write(async (tables) => {
        await cancelBooking(tables, placeOf(caller, params), params.bookingId)
        await auditByUser(tables, clock, caller, 'booking.cancel', params.bookingId, { calendarId: params.calendarId })
      }),
  }
}

const isoOf = (at: number): string => new Date(at).toISOString()

const momentOf = (field: string, written: string): number => {
  const at = Date.parse(written)
  if (Number.isNaN(at) || at < 0 || at > Date.UTC(2200, 0)) throw Problem.field(field, 'must be a moment such as 2027-01-31T14:30:00Z')
  return at
}

const toCalendarElement = ({ id, name, settings, updatedAt }: Calendar): CalendarElement => ({
  id,
  name,
  ...settings,
  updatedAt: isoOf(updatedAt),
})

const toBookingElement = (booking: Booking, listening: { language: string; timeZone: string; now: number }): BookingElement => {
  const { id, calendarId, service, person, startsAt, endsAt, state, holdUntil, name, phone, email, note, callId, revision } = booking
  return {
    id,
    calendarId,
    service,
    person,
    state,
    revision,
    start: isoOf(startsAt),
    end: isoOf(endsAt),
    ...(holdUntil !== undefined && { holdUntil: isoOf(holdUntil) }),
    ...(name !== undefined && { name }),
    ...(phone !== undefined && { phone }),
    ...(email !== undefined && { email }),
    ...(note !== undefined && { note }),
    ...(callId !== undefined && { callId }),
    spoken: spokenTime(startsAt, listening),
    createdAt: isoOf(booking.createdAt),
    changedAt: isoOf(booking.changedAt),
  }
}
