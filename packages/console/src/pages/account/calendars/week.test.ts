import assert from 'node:assert/strict'
import { test } from 'node:test'
import { around, dayIn, daysFrom, mondayOf, slugOf } from './week.ts'

test('finds the days of a week, Monday first', () => {
  assert.equal(mondayOf('2026-11-16'), '2026-11-16')
  assert.equal(mondayOf('2026-11-22'), '2026-11-16')
  assert.deepEqual([daysFrom('2026-12-28')[0], daysFrom('2026-12-28')[6]], ['2026-12-28', '2027-01-03'])
  assert.deepEqual(around('2026-11-16'), { from: '2026-11-15T10:00:00.000Z', to: '2026-11-23T14:00:00.000Z' })
  assert.equal(dayIn('2026-11-16T23:30:00Z', 'Europe/Berlin'), '2026-11-17')
})

test('makes short names from names', () => {
  assert.equal(slugOf('Dr. Jürgen Groß', []), 'dr_jurgen_gross')
  assert.equal(slugOf('Lee', ['lee']), 'lee_2')
  assert.equal(slugOf('Lee', ['lee', 'lee_2']), 'lee_3')
  assert.equal(slugOf('1. 李', []), 'x')
})
