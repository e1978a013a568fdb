import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCode } from '#test/http/with-code.ts'
import { readHistoryFilter } from './history-filter.ts'

const seenBy = { userId: 'w0', extensions: ['p0'] }
const read = (query: Parameters<typeof readHistoryFilter>[0]) => readHistoryFilter(query, seenBy, 'DE')

test('reads times with their zone, even if the plus has become a space', () => {
  const at = Date.UTC(2026, 1, 10, 13, 19, 39)
  for (const from of ['2026-02-10T13:19:39Z', '2026-02-10T14:19:39+01:00', '2026-02-10T14:19:39 01:00', '2026-02-10T14:19:39+0100'])
    assert.equal(read({ from }).from, at, from)
  assert.equal(read({ from: '2026-02-10T13:19Z' }).from, Date.UTC(2026, 1, 10, 13, 19))
  assert.equal(read({ from: '2026-02-10T13:19:39.25Z' }).from, at + 250)
})

test('reads a date without a time as the whole day', () => {
  const { from, to } = read({ from: '2026-02-10', to: '2026-02-10' })
  assert.equal(from, Date.UTC(2026, 1, 10))
  assert.equal(to, Date.UTC(2026, 1, 11) - 1)
})

test('rejects an invalid time and names the field', () => {
  const bad = [
    'yesterday',
    '',
    '10.02.2026',
    '1770733179',
    '2026-02-30',
    '2026-13-01',
    '2026-02-10T25:00:00Z',
    '2026-02-10T10:00:00',
    '2026-2-1',
  ]
  for (const text of bad) {
    assert.throws(() => read({ from: text }), withCode('parameter_invalid', 'from'), text)
    assert.throws(() => read({ to: text }), withCode('parameter_invalid', 'to'), text)
  }
})

test('rejects a start after the end', () => {
  assert.throws(() => read({ from: '2026-02-11', to: '2026-02-10' }), withCode('parameter_invalid', 'from'))
  assert.doesNotThrow(() => read({ from: '2026-02-10T10:00:00Z', to: '2026-02-10T10:00:00Z' }))
})

test('searches a number as written and in E.164', () => {
  assert.deepEqual(read({ phonenumber: '0211 1234567' }).phoneNumbers, ['0211 1234567', '+492111234567'])
  assert.deepEqual(read({ phonenumber: 'anonymous' }).phoneNumbers, ['anonymous'])
})
