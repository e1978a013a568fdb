import type { Booking } from '#core/kernel/ports/store/calendar.ts'

interface Event {
  booking: Pick<Booking, 'id' | 'startsAt' | 'endsAt' | 'state' | 'revision' | 'note'>
  summary: string
  now: number
}

const status = { HELD: 'TENTATIVE', CONFIRMED: 'CONFIRMED', CANCELLED: 'CANCELLED' } as const

/** A booking as an iCalendar file (RFC 5545); a later revision replaces an earlier one. */
export const calendarFile = ({ booking, summary, now }: Event): string => {
  const { id, startsAt, endsAt, state, revision, note } = booking
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Offhook//EN',
    `METHOD:${state === 'CANCELLED' ? 'CANCEL' : 'PUBLISH'}`,
    'BEGIN:VEVENT',
    `UID:${id}@offhook`,
    `DTSTAMP:${moment(now)}`,
    `SEQUENCE:${revision}`,
    `DTSTART:${moment(startsAt)}`,
    `DTEND:${moment(endsAt)}`,
    `SUMMARY:${escaped(summary)}`,
    ...(note === undefined ? [] : [`DESCRIPTION:${escaped(note)}`]),
    `STATUS:${status[state]}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return lines.map(folded).join('')
}

/** 20270131T143000Z */
const moment = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')

/** RFC 5545 §3.3.11; control characters would end the line. */
const escaped = (text: string): string =>
  text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n?|\n/g, '\\n')
    .replace(/\p{Cc}/gu, ' ')

/** At most 75 octets in a line; a longer one goes on after a space (RFC 5545 §3.1). */
const folded = (line: string): string => {
  const rows: string[] = []
  let row = ''
  for (const letter of line) {
    if (Buffer.byteLength(row + letter) > 75) {
      rows.push(row)
      row = ' '
    }
    row += letter
  }
  return [...rows, row].map((one) => `${one}\r\n`).join('')
}
