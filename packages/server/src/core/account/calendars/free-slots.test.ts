import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Booking, Calendar } from '#core/kernel/ports/store/calendar.ts'
import { freeSlots, occupied } from './free-slots.ts'

const at = (iso: string): number => Date.parse(iso)
const now = at('2026-11-16T05:00:00Z') // a Monday
const settings: Calendar['settings'] = {
  timeZone: 'Europe/Berlin',
  week: { MO: [{ from: '09:00', to: '11:00' }], TU: [{ from: '22:00', to: '01:00' }] },
  days: [{ date: '--12-21', name: 'Closed', open: [] }],
  services: [
    { id: 'cut', name: 'Cut', minutes: 30 },
    { id: 'colour', name: 'Colour', minutes: 60, before: 10, after: 20, people: ['ann'] },
  ],
  people: [
    { id: 'ann', name: 'Ann' },
    { id: 'bob', name: 'Bob', week: { MO: [{ from: '10:30', to: '12:00' }] }, days: [{ date: '2026-11-30', name: 'Away', open: [] }] },
  ],
  stepMinutes: 30,
}
const [cut, colour] = settings.services
assert.ok(cut && colour)

const booking = (person: string, start: string, service = cut, change: Partial<Booking> = {}): Booking => ({
  ...occupied(service, person, at(start)),
  id: 'b',
  calendarId: 'c',
  service: service.id,
  state: 'CONFIRMED',
  holdUntil: undefined,
  name: undefined,
  phone: undefined,
  email: undefined,
  note: undefined,
  callId: undefined,
  revision: 0,
  createdAt: 0,
  changedAt: 0,
  ...change,
})

const free = (change: Partial<Parameters<typeof freeSlots>[1]>): string[] => {
  const search = { service: cut, from: now, to: now + 86_400_000, now, limit: 50, bookings: [], ...change }
  return freeSlots(settings, search).map(({ startsAt, people }) => `${new Date(startsAt).toISOString().slice(5, 16)} ${people.join('+')}`)
}

test('offers what fits into the working hours of each person', () => {
  assert.deepEqual(free({}), [
    '11-16T08:00 ann',
    '11-16T08:30 ann',
    '11-16T09:00 ann',
    '11-16T09:30 ann+bob',
    '11-16T10:00 bob',
    '11-16T10:30 bob',
  ])
  assert.deepEqual(free({ person: 'bob', limit: 2 }), ['11-16T09:30 bob', '11-16T10:00 bob'])
  assert.deepEqual(free({ service: colour }), ['11-16T08:00 ann', '11-16T08:30 ann', '11-16T09:00 ann'])
})

test('leaves out taken times, with their buffers, and no expired or cancelled ones', () => {
  const bookings = [booking('ann', '2026-11-16T08:30:00Z', colour)] // busy from 08:20 to 09:50
  assert.deepEqual(free({ person: 'ann', bookings }), [])
  assert.deepEqual(free({ person: 'bob', bookings: [booking('bob', '2026-11-16T10:00:00Z')] }), ['11-16T09:30 bob', '11-16T10:30 bob'])
  const held = booking('bob', '2026-11-16T10:00:00Z', cut, { state: 'HELD', holdUntil: now })
  const cancelled = booking('bob', '2026-11-16T09:30:00Z', cut, { state: 'CANCELLED' })
  assert.equal(free({ person: 'bob', bookings: [held, cancelled] }).length, 3)
  assert.equal(free({ person: 'bob', bookings: [{ ...held, holdUntil: now + 1 }] }).length, 2)
})

test('keeps days off, hours past midnight, notice and horizon', () => {
  assert.deepEqual(free({ person: 'bob', from: at('2026-11-30T00:00:00Z'), to: at('2026-12-01T00:00:00Z') }), [])
  assert.equal(free({ person: 'ann', from: at('2026-11-30T00:00:00Z'), to: at('2026-12-01T00:00:00Z') }).length, 4)
  assert.deepEqual(free({ from: at('2026-12-21T00:00:00Z'), to: at('2026-12-22T00:00:00Z') }), [])
  const night = free({ person: 'ann', from: at('2026-11-17T00:00:00Z'), to: at('2026-11-18T12:00:00Z') })
  assert.deepEqual([night.length, night[0], night.at(-1)], [6, '11-17T21:00 ann', '11-17T23:30 ann'])
  const strict = { ...settings, noticeMinutes: 5 * 60, horizonDays: 1 }
  const all = freeSlots(strict, { service: cut, from: now, to: now + 10 * 86_400_000, now, limit: 50, bookings: [] })
  assert.deepEqual(
    all.map(({ startsAt }) => startsAt),
    [at('2026-11-16T10:00:00Z'), at('2026-11-16T10:30:00Z')],
  )
})

test('keeps 09:00 local time across clock changes', () => {
  for (const [monday, first] of [
    ['2026-10-19', '10-19T07:00 ann'],
    ['2026-10-26', '10-26T08:00 ann'],
  ] as const) {
    const from = at(`${monday}T00:00:00Z`)
    assert.equal(free({ now: from, from, to: from + 86_400_000 })[0], first)
  }
})
