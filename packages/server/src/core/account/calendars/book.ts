import { Problem } from '@offhook/contract/problem.ts'
import { minuteMs } from '../schedules/evaluate.ts'
import type { Booking, Calendar, Occupied, Visitor } from '#core/kernel/ports/store/calendar.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'
import { more } from '#core/kernel/work/recurring.ts'
import { defaultHoldMinutes, freeSlots, isActive, occupied, peopleFor, type Service } from './free-slots.ts'

/** Where and when: part of a transaction. */
interface Place {
  accountId: string
  calendarId: string
  now: number
}

interface HoldInput extends Visitor {
  id: string
  service: string
  /** Missing: the first who is free. */
  person: string | undefined
  startsAt: number
  isConfirmed: boolean
  callId: string | undefined
}

/** Longest service with what stays free around it. */
const maxReachMs = (720 + 240) * minuteMs

/** Holds a slot. A repeated request finds its own booking, although the first answer was lost. The lock orders callers of one calendar; the key of the cells would reject a second booking anyway. */
export const holdSlot = async (tables: Tables, place: Place, input: HoldInput): Promise<Booking> => {
  const { accountId, calendarId, now } = place
  const calendar = await locked(tables, place)
  const known = await tables.bookings.find(accountId, calendarId, input.id)
  if (known) return known
  const service = serviceOf(calendar, input.service)
  await tables.bookings.removeExpiredOf(accountId, calendarId, now)
  const slot = await freeSlotAt(tables, place, { calendar, service, person: input.person, startsAt: input.startsAt })
  const { isConfirmed, service: serviceId, id, name, phone, email, note, callId } = input
  const holdMs = (calendar.settings.holdMinutes ?? defaultHoldMinutes) * minuteMs
  const booking: Booking = {
    ...slot,
    id,
    calendarId,
    service: serviceId,
    name,
    phone,
    email,
    note,
    callId,
    ...(isConfirmed ? { state: 'CONFIRMED', holdUntil: undefined } : { state: 'HELD', holdUntil: now + holdMs }),
    revision: 0,
    createdAt: now,
    changedAt: now,
  }
  await tables.bookings.insert(accountId, booking)
  if (!(await tables.bookings.takeCells(booking))) throw new Problem('slot_taken')
  return booking
}

/** Fields of the visitor that are not given stay. Confirming twice is no error: the first answer may have been lost. */
export const confirmBooking = async (tables: Tables, place: Place, id: string, visitor: Partial<Visitor>): Promise<Booking> => {
  await locked(tables, place)
  const booking = await activeBooking(tables, place, id)
  const confirmed: Booking = {
    ...booking,
    ...Object.fromEntries(Object.entries(visitor).filter(([, value]) => value !== undefined)),
    state: 'CONFIRMED',
    holdUntil: undefined,
    revision: booking.revision + 1,
    changedAt: place.now,
  }
  await tables.bookings.update(place.accountId, confirmed)
  return confirmed
}

/** Keeps the person if possible and none is named. */
export const moveBooking = async (
  tables: Tables,
  place: Place,
  id: string,
  { startsAt, person }: { startsAt: number; person: string | undefined },
): Promise<Booking> => {
  const calendar = await locked(tables, place)
  const booking = await activeBooking(tables, place, id)
  const service = serviceOf(calendar, booking.service)
  await tables.bookings.removeExpiredOf(place.accountId, place.calendarId, place.now)
  const slot = await freeSlotAt(tables, place, { calendar, service, person, preferred: booking.person, startsAt, except: id })
  const moved: Booking = { ...booking, ...slot, revision: booking.revision + 1, changedAt: place.now }
  await tables.bookings.releaseCells(place.accountId, id)
  if (!(await tables.bookings.takeCells(moved))) throw new Problem('slot_taken')
  await tables.bookings.update(place.accountId, moved)
  return moved
}

/** A hold is deleted; a confirmed booking stays as cancelled. Cancelling twice is no error. Returns what was cancelled just now. */
export const cancelBooking = async (tables: Tables, place: Place, id: string): Promise<Booking | undefined> => {
  await locked(tables, place)
  const booking = await bookingOf(tables, place, id)
  if (booking.state === 'CANCELLED') return undefined
  if (booking.state === 'HELD') {
    await tables.bookings.remove(place.accountId, id)
    return undefined
  }
  const cancelled: Booking = { ...booking, state: 'CANCELLED', revision: booking.revision + 1, changedAt: place.now }
  await tables.bookings.releaseCells(place.accountId, id)
  await tables.bookings.update(place.accountId, cancelled)
  return cancelled
}

export const bookingOf = async (tables: Tables, { accountId, calendarId }: Omit<Place, 'now'>, id: string): Promise<Booking> => {
  const booking = await tables.bookings.find(accountId, calendarId, id)
  if (!booking) throw new Problem('booking_not_found')
  return booking
}

export const serviceOf = ({ settings }: Calendar, id: string): Service => {
  const service = settings.services.find((one) => one.id === id)
  if (service) return service
  throw Problem.field('service', `is none of ${settings.services.map((one) => one.id).join(', ')}`)
}

const locked = async (tables: Tables, { accountId, calendarId }: Place): Promise<Calendar> => {
  const calendar = await tables.calendars.lock(accountId, calendarId)
  if (!calendar) throw new Problem('calendar_not_found')
  return calendar
}

const activeBooking = async (tables: Tables, place: Place, id: string): Promise<Booking> => {
  const booking = await bookingOf(tables, place, id)
  if (booking.state === 'CANCELLED') throw new Problem('booking_cancelled')
  if (!isActive(booking, place.now)) throw new Problem('hold_expired')
  return booking
}

interface Choice {
  calendar: Calendar
  service: Service
  person: string | undefined
  preferred?: string
  startsAt: number
  /** The booking that moves: its own time is free for it. */
  except?: string
}

const freeSlotAt = async (tables: Tables, { accountId, calendarId, now }: Place, choice: Choice): Promise<Occupied> => {
  const { calendar, service, person, preferred, startsAt, except } = choice
  if (person !== undefined && peopleFor(calendar.settings, service).every(({ id }) => id !== person))
    throw Problem.field('person', `is nobody who does ${service.id}`)
  const around = await tables.bookings.listBetween(accountId, calendarId, startsAt - maxReachMs, startsAt + maxReachMs)
  const bookings = around.filter(({ id }) => id !== except)
  const [slot] = freeSlots(calendar.settings, { service, person, from: startsAt, to: startsAt + 1, now, limit: 1, bookings })
  const chosen = slot?.people.find((id) => id === preferred) ?? slot?.people[0]
  if (chosen === undefined) throw new Problem('slot_taken')
  return occupied(service, chosen, startsAt)
}

const sweepLimit = 500
const keptMs = 366 * 24 * 60 * minuteMs

/** Deletes holds that have expired, and bookings a year after their end. */
export const bookingSweep: Recurring = {
  kind: 'booking.sweep',
  intervalMs: 10 * minuteMs,
  run: async ({ bookings }, now) => {
    const expired = await bookings.removeExpired(now, sweepLimit)
    const ended = await bookings.removeEndedBefore(now - keptMs, sweepLimit)
    return expired === sweepLimit || ended === sweepLimit ? more : undefined
  },
}
