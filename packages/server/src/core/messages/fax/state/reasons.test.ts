import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasonOfCause, reasonOfReceived, reasonOfResult, reasons } from './reasons.ts'

const nothing = { pages: 0, bitRate: 0, errorCorrection: false, carriedBy: 'audio', station: '' } as const
const machine = { ...nothing, bitRate: 14_400, station: '+49 30 1' } as const

test('decides on a retry by the T.30 result', () => {
  const again = (code: number | undefined) => {
    const reason = reasonOfResult({ ...machine, code })
    return reason && reasons[reason].again
  }
  assert.equal(reasonOfResult({ ...machine, code: 0 }), undefined)
  for (const code of [4, 6, 14, 15, 16, 17, 18, 19, 20, 21, 22, 48, 49, undefined]) assert.equal(again(code), true, `${code}`)
  for (const code of [1, 2, 3, 8, 11, 41, 47, 50, 99]) assert.equal(again(code), false, `${code}`)
})

test('treats a hang-up without any T.30 signal as a person and does not retry', () => {
  assert.equal(reasonOfResult({ ...nothing, code: 49 }), 'no_fax_machine')
  assert.equal(reasonOfResult({ ...machine, code: 49 }), 'interrupted')
  assert.equal(reasonOfResult({ ...nothing, code: 49, station: '+49 30 1' }), 'interrupted')
})

test('maps a missing T.30 response to a person on inbound calls and to a bad line on outbound calls', () => {
  assert.equal(reasonOfReceived({ ...nothing, code: 48 }), 'no_fax_machine')
  assert.equal(reasonOfReceived({ ...machine, code: 48 }), 'bad_line')
  assert.equal(reasonOfReceived({ ...machine, code: 0 }), undefined)
  assert.equal(reasonOfResult({ ...nothing, code: 48 }), 'bad_line')
})

test('retries an unanswered call unless the cause is permanent', () => {
  const again = (cause: Parameters<typeof reasonOfCause>[0]) => reasons[reasonOfCause(cause)].again
  for (const cause of ['busy', 'do_not_disturb', 'no_answer', 'unavailable', 'overloaded', 'failed', 'media_timeout'] as const)
    assert.equal(again(cause), true, cause)
  for (const cause of ['rejected', 'not_found', 'forbidden', 'not_acceptable', 'anonymity_refused'] as const)
    assert.equal(again(cause), false, cause)
})
