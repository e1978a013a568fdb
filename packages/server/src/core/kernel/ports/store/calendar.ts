import type { bookingStates, CalendarInput } from '@offhook/contract/v3/calendars.ts'

export interface Calendar {
  id: string
  name: string
  settings: Omit<CalendarInput, 'name'>
  updatedAt: number
}

export interface Calendars {
  list(accountId: string): Promise<Calendar[]>
  find(accountId: string, id: string): Promise<Calendar | undefined>
  /** Locks the calendar until this transaction ends: bookings of one calendar are made one after the other. */
  lock(accountId: string, id: string): Promise<Calendar | undefined>
  insert(accountId: string, calendar: Calendar): Promise<void>
  update(accountId: string, calendar: Calendar): Promise<void>
  /** With its bookings. */
  remove(accountId: string, id: string): Promise<void>
  removeOf(accountId: string): Promise<void>
}

/** People's data of a booking. */
export interface Visitor {
  name: string | undefined
  phone: string | undefined
  email: string | undefined
  note: string | undefined
}

/** Time of a booking in the diary of a person. */
export interface Occupied {
  person: string
  startsAt: number
  endsAt: number
  /** With what stays free before and after it, in whole cells. */
  busyFrom: number
  busyTo: number
}

export interface Booking extends Occupied, Visitor {
  id: string
  calendarId: string
  service: string
  state: (typeof bookingStates)[number]
  /** Set while it is held. */
  holdUntil: number | undefined
  callId: string | undefined
  revision: number
  createdAt: number
  changedAt: number
}

export interface Bookings {
  find(accountId: string, calendarId: string, id: string): Promise<Booking | undefined>
  /** Those that are not cancelled and overlap the time, the earliest first; with expired holds. */
  listBetween(accountId: string, calendarId: string, from: number, to: number): Promise<Booking[]>
  /** Up to 20 that are not over or cancelled, of a call or a number (E.164), the earliest first; with expired holds. */
  listUpcoming(accountId: string, calendarId: string, whose: { callId: string; phone?: string }, now: number): Promise<Booking[]>
  insert(accountId: string, booking: Booking): Promise<void>
  update(accountId: string, booking: Booking): Promise<void>
  /** Takes all cells of a booking. False if one belongs to another: roll back then. */
  takeCells(booking: Pick<Booking, 'id' | 'calendarId' | 'person' | 'busyFrom' | 'busyTo'>): Promise<boolean>
  releaseCells(accountId: string, id: string): Promise<void>
  /** With its cells. */
  remove(accountId: string, id: string): Promise<void>
  /** Removes holds of the calendar that have expired. */
  removeExpiredOf(accountId: string, calendarId: string, now: number): Promise<void>
  /** Removes up to `limit` expired holds of all accounts; returns their number. */
  removeExpired(now: number, limit: number): Promise<number>
  /** Removes up to `limit` bookings of all accounts that ended before; returns their number. */
  removeEndedBefore(at: number, limit: number): Promise<number>
}
