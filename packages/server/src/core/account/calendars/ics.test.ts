import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calendarFile } from './ics.ts'

const booking = {
  id: 'b1',
  startsAt: Date.parse('2026-11-20T08:00:00Z'),
  endsAt: Date.parse('2026-11-20T08:30:00Z'),
  state: 'CONFIRMED' as const,
  revision: 1,
  note: undefined,
}
const now = Date.parse('2026-11-19T09:00:00.123Z')

test('writes a booking as an iCalendar file', () => {
  assert.equal(
    calendarFile({ booking, summary: 'Check-up', now }),
    `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Offhook//EN
METHOD:PUBLISH
BEGIN:VEVENT
UID:b1@offhook
DTSTAMP:20261119T090000Z
SEQUENCE:1
DTSTART:20261120T080000Z
DTEND:20261120T083000Z
SUMMARY:Check-up
STATUS:CONFIRMED
END:VEVENT
END:VCALENDAR
`.replaceAll('\n', '\r\n'),
  )
})

test('cancels with the same UID, escapes text, and folds lines at 75 octets', () => {
  const note = `Käse, Brot; Wein\r\nEND:VEVENT ${'ü'.repeat(60)}`
  const file = calendarFile({ booking: { ...booking, state: 'CANCELLED', revision: 2, note }, summary: 'A\\B\u0007', now })
  assert.match(file, /METHOD:CANCEL\r\n[^]*SEQUENCE:2\r\n[^]*STATUS:CANCELLED\r\n/)
  assert.match(file, /SUMMARY:A\\\\B \r\n/)
  assert.equal(file.match(/END:VEVENT\r\n/g)?.length, 1)
  assert.ok(file.split('\r\n').every((line) => Buffer.byteLength(line) <= 75))
  const unfolded = file.replaceAll('\r\n ', '')
  assert.ok(unfolded.includes(`DESCRIPTION:Käse\\, Brot\\; Wein\\nEND:VEVENT ${'ü'.repeat(60)}\r\n`))
})
