import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDay, writeDay } from '#parts/list/days.ts'
import { daysOf } from './periods.ts'

test('a period is calendar days, also across the end of a month', () => {
  const now = new Date(2027, 2, 1, 0, 30)
  assert.deepEqual(daysOf('today', now), { from: '2027-03-01' })
  assert.deepEqual(daysOf('yesterday', now), { from: '2027-02-28', to: '2027-02-28' })
  assert.deepEqual(daysOf('week', now), { from: '2027-02-23' })
  assert.deepEqual(daysOf('month', now), { from: '2027-01-31' })
  assert.deepEqual(daysOf('', now), {})
})

test("writes and reads a day in the format of the page's language", () => {
  assert.equal(writeDay('2026-12-01', 'de'), '01.12.2026')
  assert.equal(writeDay('2026-12-01', 'en'), '01/12/2026')
  assert.equal(readDay('1.12.2026', 'de'), '2026-12-01')
  assert.equal(readDay('1/12/2026', 'en'), '2026-12-01')
  assert.equal(readDay(' ', 'de'), '')
  for (const wrong of ['31.2.2026', '1.13.2026', '12/2026', 'today']) assert.equal(readDay(wrong, 'de'), undefined, wrong)
})
