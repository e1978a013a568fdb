import { calendarFile } from '#core/account/calendars/ics.ts'
import { queueMail, type MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { Booking, Calendar } from '#core/kernel/ports/store/calendar.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

interface BookingMail {
  accountId: string
  calendar: Calendar
  booking: Booking
  /** BCP 47. */
  language: string
}

/** Sends a booking to its own address, with a calendar file; part of the transaction that made, moved or cancelled it. */
export const mailBooking = async (
  tables: Tables,
  context: MailContext,
  { accountId, calendar, booking, language }: BookingMail,
): Promise<void> => {
  if (booking.email === undefined) return
  const { person, service } = namesIn(calendar, booking)
  await queueMail(tables, context, {
    accountId,
    to: booking.email,
    locale: /^de\b/i.test(language) ? 'de_DE' : 'en_US',
    template: booking.state === 'CANCELLED' ? 'booking_cancelled' : 'booking',
    values: { calendar: calendar.name, service, person, when: writtenTime(calendar, booking, language) },
    document: {
      name: 'appointment.ics',
      type: 'text/calendar; charset=utf-8',
      text: calendarFile({ booking, summary: `${calendar.name}: ${service}`, now: context.clock.now() }),
    },
  })
}

/** In one line, for an SMS. */
export const writtenBooking = (calendar: Calendar, booking: Booking, language: string): string =>
  `${calendar.name}: ${namesIn(calendar, booking).service}, ${writtenTime(calendar, booking, language)}`

const namesIn = ({ settings }: Calendar, booking: Booking): { service: string; person: string } => ({
  service: settings.services.find(({ id }) => id === booking.service)?.name ?? booking.service,
  person: settings.people.find(({ id }) => id === booking.person)?.name ?? booking.person,
})

const writtenTime = ({ settings: { timeZone } }: Calendar, { startsAt }: Booking, language: string): string =>
  new Intl.DateTimeFormat(/^de\b/i.test(language) ? 'de-DE' : 'en-US', { dateStyle: 'full', timeStyle: 'short', timeZone }).format(startsAt)
