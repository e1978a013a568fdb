import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { addWorkingDays, germanHolidays, isWorkingDay, utcDate } from './donor.ts'

const at = (date: string) => Date.parse(date)
const later = (date: string, days: number) => utcDate(addWorkingDays(at(date), days))

test('skips weekends', () => {
  assert.equal(later('2026-11-16', 1), '2026-11-17')
  assert.equal(later('2026-11-16', 5), '2026-11-23')
  assert.equal(later('2026-11-20', 1), '2026-11-23')
  assert.equal(later('2026-11-21', 1), '2026-11-23')
  assert.equal(later('2026-11-22', 1), '2026-11-23')
  assert.equal(later('2026-11-22', 0), '2026-11-22')
})

test('lists the holidays of a year', () => {
  assert.deepEqual([...germanHolidays(2026)].toSorted(), [
    '2026-01-01',
    '2026-04-03',
    '2026-04-06',
    '2026-05-01',
    '2026-05-14',
    '2026-05-25',
    '2026-10-03',
    '2026-12-25',
    '2026-12-26',
  ])
})

test('computes Easter Sunday', () => {
  // Early, late and exceptional years; the exceptions of the Gregorian rule are 1954, 1981, 2049 and 2076.
  const sundays = [
    '1954-04-18',
    '1961-04-02',
    '1981-04-19',
    '2000-04-23',
    '2008-03-23',
    '2011-04-24',
    '2016-03-27',
    '2019-04-21',
    '2024-03-31',
    '2025-04-20',
    '2027-03-28',
    '2030-04-21',
    '2038-04-25',
    '2049-04-18',
    '2076-04-19',
    '2100-03-28',
  ]
  for (const sunday of sundays) {
    const monday = utcDate(at(sunday) + 24 * 60 * 60 * 1000)
    assert.ok(germanHolidays(Number(sunday.slice(0, 4))).has(monday), sunday)
  }
})

test('skips Easter, Ascension, Whitsun and the turn of the year', () => {
  assert.equal(later('2026-04-02', 1), '2026-04-07')
  assert.equal(later('2026-05-13', 1), '2026-05-15')
  assert.equal(later('2026-05-22', 1), '2026-05-26')
  assert.equal(later('2026-12-24', 1), '2026-12-28')
  assert.equal(later('2026-12-31', 1), '2027-01-04')
  assert.equal(later('2026-04-30', 1), '2026-05-04')
})

test('counts regional holidays as working days', () => {
  for (const date of ['2026-01-06', '2026-06-04', '2025-10-31', '2027-11-01']) assert.equal(isWorkingDay(at(date)), true, date)
})

test('keeps the time of day', () => {
  assert.equal(new Date(addWorkingDays(at('2026-11-20T17:45:12.345Z'), 1)).toISOString(), '2026-11-23T17:45:12.345Z')
})

test('is additive and ends on a working day', () => {
  const start = fc.integer({ min: at('2020-01-01'), max: at('2040-01-01') })
  fc.assert(
    fc.property(start, fc.integer({ min: 1, max: 40 }), (from, days) => {
      let stepped = from
      for (let day = 0; day < days; day += 1) stepped = addWorkingDays(stepped, 1)
      assert.equal(addWorkingDays(from, days), stepped)
      assert.ok(isWorkingDay(stepped))
    }),
  )
})
