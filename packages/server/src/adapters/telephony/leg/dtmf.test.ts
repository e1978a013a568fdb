import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digitOfInfo, DtmfMerge } from './dtmf.ts'

test('every key of one source counts, also repeated ones', () => {
  const merge = new DtmfMerge()
  assert.ok(merge.takes('1', 'in-band', 0))
  assert.ok(merge.takes('1', 'in-band', 100))
  assert.ok(merge.takes('2', 'in-band', 200))
})

test('a key that arrives by several sources counts once', () => {
  const merge = new DtmfMerge()
  assert.ok(merge.takes('5', 'in-band', 0))
  assert.ok(!merge.takes('5', 'info', 80))
  assert.ok(!merge.takes('5', 'rfc4733', 90))
  assert.ok(merge.takes('5', 'rfc4733', 400), 'pressed again')
  assert.ok(!merge.takes('5', 'in-band', 410))
  assert.ok(!merge.takes('6', 'info', 2000), 'from now on only the best way is listened to')
})

test('a different key by a better source counts', () => {
  const merge = new DtmfMerge()
  assert.ok(merge.takes('1', 'info', 0))
  assert.ok(merge.takes('2', 'rfc4733', 10))
  const later = new DtmfMerge()
  assert.ok(later.takes('1', 'info', 0))
  assert.ok(later.takes('1', 'rfc4733', 1500), 'and so is the same key much later')
})

test('finds digits in INFO', () => {
  const digit = (type: string, body: string) => digitOfInfo(type, Buffer.from(body))
  assert.equal(digit('application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n'), '5')
  assert.equal(digit('Application/DTMF-Relay; charset=utf-8', 'Duration= 250\nSignal= *\n'), '*')
  assert.equal(digit('application/dtmf-relay', 'Signal=11'), '#')
  assert.equal(digit('application/dtmf-relay', 'signal=d'), 'D')
  assert.equal(digit('application/dtmf', '7\r\n'), '7')
  assert.equal(digit('application/dtmf', 'Signal=10'), '*')
})

test('ignores bodies without a digit', () => {
  for (const [type, body] of [
    ['application/dtmf-relay', '5'],
    ['application/dtmf-relay', 'Signal=55'],
    ['application/dtmf-relay', ''],
    ['application/dtmf', 'x'],
    ['text/plain', 'Signal=5'],
    ['', ''],
  ] as const)
    assert.equal(digitOfInfo(type, Buffer.from(body)), undefined, `${type} ${body}`)
})
