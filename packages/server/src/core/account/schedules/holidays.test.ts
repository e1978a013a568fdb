import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holidaysOf } from './holidays.ts'

const dates = (country: string, region: string | undefined, year: number): string[] =>
  holidaysOf({ country, year, ...(region !== undefined && { region }) }).items.map(({ date, name }) => `${date} ${name}`)

test('computes movable holidays for the earliest and latest Easter', () => {
  for (const [year, monday] of [
    [2008, '2008-03-24'],
    [2026, '2026-04-06'],
    [2027, '2027-03-29'],
    [2038, '2038-04-26'],
  ] as const)
    assert.ok(dates('DE', undefined, year).includes(`${monday} Ostermontag`), monday)
})

test('lists nine holidays for all of Germany, more for the states', () => {
  assert.equal(dates('DE', undefined, 2027).length, 9)
  assert.deepEqual(
    dates('DE', 'BE', 2027).filter((day) => !dates('DE', undefined, 2027).includes(day)),
    ['2027-03-08 Internationaler Frauentag'],
  )
  assert.ok(dates('DE', 'SN', 2026).includes('2026-11-18 Buß- und Bettag'))
  assert.ok(dates('DE', 'SN', 2027).includes('2027-11-17 Buß- und Bettag'))
  const bavaria = holidaysOf({ country: 'DE', region: 'BY', year: 2027 }).items
  assert.deepEqual(
    bavaria.filter(({ partly }) => partly),
    [{ date: '2027-08-15', name: 'Mariä Himmelfahrt', partly: true }],
  )
  assert.equal(bavaria.length, 13)
})

test('lists 13 holidays for all of Austria, few for all of Switzerland and many for its cantons', () => {
  assert.equal(dates('AT', undefined, 2027).length, 13)
  assert.deepEqual(dates('CH', undefined, 2027), [
    '2027-01-01 Neujahr',
    '2027-05-06 Auffahrt',
    '2027-08-01 Bundesfeier',
    '2027-12-25 Weihnachten',
  ])
  assert.ok(dates('CH', 'GE', 2026).includes('2026-09-10 Genfer Bettag'))
  assert.ok(dates('CH', 'VD', 2026).includes('2026-09-21 Bettagsmontag'))
  assert.ok(dates('CH', 'GL', 2026).includes('2026-04-09 Näfelser Fahrt'))
  assert.equal(holidaysOf({ country: 'CH', year: 2027 }).regions.length, 26)
})

test('rejects unknown countries and regions', () => {
  for (const input of [{ country: 'FR' }, { country: 'DE', region: 'ZZ' }, { country: 'AT', region: 'WI' }, { country: '__' }])
    assert.throws(() => holidaysOf({ ...input, year: 2027 }), { code: 'country_unknown' })
})
