import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OfficeHours } from '#core/kernel/ports/store/line.ts'
import { changesAt, dayEndsAt } from './changes-at.ts'
import { evaluate, localTime } from './evaluate.ts'

const office: OfficeHours = {
  timeZone: 'Europe/Berlin',
  week: {
    MO: [
      { from: '09:00', to: '12:30' },
      { from: '13:30', to: '17:00' },
    ],
    TU: [{ from: '09:00', to: '17:00' }],
    WE: [{ from: '09:00', to: '17:00' }],
    TH: [{ from: '09:00', to: '17:00' }],
    FR: [{ from: '09:00', to: '15:00' }],
  },
  days: [
    { date: '--12-25', name: 'Christmas', open: [] },
    { date: '2026-12-24', name: 'Christmas Eve', open: [{ from: '09:00', to: '12:00' }] },
  ],
}
const bar: OfficeHours = { timeZone: 'Europe/Berlin', week: { SA: [{ from: '20:00', to: '04:00' }] }, days: [] }
const night: OfficeHours = { timeZone: 'Europe/Berlin', week: { SU: [{ from: '02:15', to: '02:45' }] }, days: [] }
const at = (iso: string): number => Date.parse(iso)
const isOpen = (schedule: OfficeHours, iso: string): boolean => evaluate(schedule, at(iso)).open

test('includes the first minute of a span, excludes its end, closes at lunch', () => {
  for (const [iso, open] of [
    ['2026-11-16T07:59:59Z', false],
    ['2026-11-16T08:00:00Z', true],
    ['2026-11-16T11:29:59Z', true],
    ['2026-11-16T11:30:00Z', false],
    ['2026-11-16T12:30:00Z', true],
    ['2026-11-16T16:00:00Z', false],
    ['2026-11-15T10:00:00Z', false],
  ] as const)
    assert.equal(isOpen(office, iso), open, iso)
})
test('keeps 09:00 local time across clock changes', () => {
  assert.deepEqual(
    ['2026-03-27T08:00:00Z', '2026-03-30T07:00:00Z', '2026-03-30T06:59:00Z'].map((iso) => isOpen(office, iso)),
    [true, true, false],
  )
  assert.deepEqual(
    ['2026-10-23T07:00:00Z', '2026-10-26T07:59:00Z', '2026-10-26T08:00:00Z'].map((iso) => isOpen(office, iso)),
    [true, false, true],
  )
})
test('stays open until 04:00 local time across a clock change: 7 hours in March, 9 in October', () => {
  const hours = (from: string, to: string): number => {
    let minutes = 0
    for (let t = at(from); t < at(to); t += 60_000) if (evaluate(bar, t).open) minutes++
    return minutes / 60
  }
  assert.equal(hours('2026-03-28T18:30:00Z', '2026-03-29T03:00:00Z'), 7)
  assert.equal(hours('2026-10-24T17:30:00Z', '2026-10-25T04:00:00Z'), 9)
})
test('skips a span in the missing hour and opens twice in the repeated hour', () => {
  const openMinutes = (from: string, minutes: number): number => {
    let count = 0
    for (let k = 0; k < minutes; k++) if (evaluate(night, at(from) + k * 60_000).open) count++
    return count
  }
  assert.equal(openMinutes('2026-03-29T00:00:00Z', 180), 0)
  assert.equal(openMinutes('2026-10-25T00:00:00Z', 180), 60)
  assert.equal(openMinutes('2026-11-01T00:00:00Z', 180), 30)
})
test('prefers special days over the week, and an exact date over a yearly one', () => {
  assert.deepEqual(evaluate(office, at('2026-12-25T10:00:00Z')), { open: false, because: 'DAY', name: 'Christmas' })
  assert.equal(changesAt(office, at('2026-12-25T10:00:00Z')), at('2026-12-28T08:00:00Z'))
  assert.equal(isOpen(office, '2026-12-24T10:59:00Z'), true)
  assert.equal(isOpen(office, '2026-12-24T11:00:00Z'), false)
})
test('closes a closed day from midnight, even if the evening before extends into it', () => {
  const closed: OfficeHours = { ...bar, days: [{ date: '2026-11-15', name: 'Day of mourning', open: [] }] }
  assert.equal(isOpen(bar, '2026-11-15T01:00:00Z'), true)
  assert.equal(isOpen(closed, '2026-11-15T01:00:00Z'), false)
  assert.equal(isOpen(closed, '2026-11-14T22:00:00Z'), true)
})
test('applies an override until it ends', () => {
  const until = at('2026-11-16T10:00:00Z')
  const closed: OfficeHours = { ...office, override: { state: 'CLOSED', until } }
  assert.deepEqual(evaluate(closed, at('2026-11-16T09:00:00Z')), { open: false, because: 'OVERRIDE' })
  assert.equal(changesAt(closed, at('2026-11-16T09:00:00Z')), until)
  assert.equal(evaluate({ ...office, override: { state: 'CLOSED', until } }, until).open, true)
})
test('finds the next change to the minute across clock changes', () => {
  assert.equal(changesAt(office, at('2026-03-27T15:00:00Z')), at('2026-03-30T07:00:00Z'))
  assert.equal(changesAt(office, at('2026-10-23T14:00:00Z')), at('2026-10-26T08:00:00Z'))
  assert.equal(changesAt({ ...office, week: {}, days: [] }, at('2026-11-16T09:00:00Z')), undefined)
})
test('handles unusual zones: half-hour offsets, a clock change at midnight, a skipped Friday, 24:00', () => {
  assert.deepEqual(localTime(at('2026-11-16T00:00:00Z'), 'Asia/Kathmandu'), { date: '2026-11-16', weekday: 'MO', minute: 345 })
  const samoa: OfficeHours = { timeZone: 'Pacific/Apia', week: { FR: [{ from: '00:00', to: '24:00' }] }, days: [] }
  assert.equal(localTime(at('2011-12-30T09:59:00Z'), 'Pacific/Apia').date, '2011-12-29')
  assert.equal(localTime(at('2011-12-30T10:00:00Z'), 'Pacific/Apia').date, '2011-12-31')
  assert.equal(isOpen(samoa, '2011-12-30T10:00:00Z'), false)
  const cairo: OfficeHours = { timeZone: 'Africa/Cairo', week: { FR: [{ from: '00:00', to: '02:00' }] }, days: [] }
  assert.equal(isOpen(cairo, '2026-04-23T22:30:00Z'), true) // Friday 24 April 2026 begins at 01:00
  const always: OfficeHours = { timeZone: 'UTC', week: { MO: [{ from: '00:00', to: '24:00' }] }, days: [] }
  assert.equal(isOpen(always, '2026-11-16T23:59:00Z'), true)
  assert.equal(isOpen(always, '2026-11-17T00:00:00Z'), false)
})

test('reports since when it has been closed today and when the day ends', () => {
  assert.equal(evaluate(office, at('2026-11-16T16:30:00Z')).since, '17:00')
  assert.equal(evaluate(office, at('2026-11-16T12:00:00Z')).since, '12:30')
  assert.equal(evaluate(office, at('2026-11-16T07:00:00Z')).since, undefined)
  assert.equal(evaluate(bar, at('2026-11-15T04:00:00Z')).since, '04:00')
  assert.equal(dayEndsAt(office, at('2026-11-16T16:30:00Z')), at('2026-11-16T23:00:00Z'))
  assert.equal(dayEndsAt(office, at('2026-10-25T00:00:00Z')), at('2026-10-25T23:00:00Z'))
})
