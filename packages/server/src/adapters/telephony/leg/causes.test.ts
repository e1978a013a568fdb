import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { buildRequest } from '@offhook/sip/message/build.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'
import { causeOfEnd, causeOfRejection, legEnd, reasonOf, statusOf } from './causes.ts'

const causes: Cause[] = [
  'normal',
  'answered_elsewhere',
  'busy',
  'do_not_disturb',
  'no_answer',
  'rejected',
  'not_found',
  'unavailable',
  'unreachable',
  'forbidden',
  'payment_required',
  'anonymity_refused',
  'loop',
  'not_acceptable',
  'media_timeout',
  'overloaded',
  'out_of_service',
  'failed',
]

/** A cause sent by one Offhook must arrive unchanged at another, as far as SIP can express it. */
const arrivesAs: Partial<Record<Cause, Cause>> = {
  do_not_disturb: 'busy',
  media_timeout: 'unavailable',
  answered_elsewhere: 'unavailable',
  unreachable: 'no_answer',
  out_of_service: 'overloaded',
  payment_required: 'overloaded', // a trunk's 402 says nothing about the customer's balance
}

test('every cause survives SIP as a rejection', () => {
  for (const cause of causes) assert.equal(causeOfRejection(statusOf(cause), [reasonOf(cause)]), arrivesAs[cause] ?? cause, cause)
})

test('every rejection is a final status', () => {
  for (const cause of causes) assert.ok(statusOf(cause) >= 400 && statusOf(cause) < 700, cause)
})

test('maps statuses of third parties', () => {
  const expected: [number, Cause][] = [
    [302, 'unavailable'],
    [400, 'failed'],
    [402, 'overloaded'],
    [404, 'not_found'],
    [408, 'no_answer'],
    [480, 'unavailable'],
    [484, 'not_found'],
    [486, 'busy'],
    [487, 'normal'],
    [488, 'not_acceptable'],
    [500, 'failed'],
    [503, 'overloaded'],
    [600, 'busy'],
    [603, 'rejected'],
    [604, 'not_found'],
    [699, 'rejected'],
  ]
  for (const [status, cause] of expected) assert.equal(causeOfRejection(status), cause, String(status))
})

test('trusts the Q.850 cause of a gateway if the status is vague', () => {
  assert.equal(causeOfRejection(480, ['Q.850;cause=19;text="No answer"']), 'no_answer')
  assert.equal(causeOfRejection(503, ['Q.850 ; text="a;cause=9" ; cause=17']), 'busy')
  assert.equal(causeOfRejection(500, ['SIP;cause=486', 'q.850;cause=1']), 'not_found')
  assert.equal(causeOfRejection(486, ['Q.850;cause=1']), 'busy', 'a clear status stands')
  assert.equal(causeOfRejection(480, ['Q.850;cause=999', 'nonsense', '']), 'unavailable')
})

test('distinguishes an ended call from one answered elsewhere', () => {
  assert.equal(causeOfEnd(), 'normal')
  assert.equal(causeOfEnd([reasonOf('normal')]), 'normal')
  assert.equal(causeOfEnd([reasonOf('answered_elsewhere')]), 'answered_elsewhere')
  assert.equal(causeOfEnd(['SIP;cause=600;text="Busy Everywhere"']), 'busy')
  assert.equal(causeOfEnd(['Q.850;cause=34']), 'overloaded')
  assert.equal(causeOfEnd(['Preemption;cause=1;text="x"']), 'normal')
})

test('reads several reasons in one line', () => {
  const message = parseMessage(
    buildRequest('BYE', 'sip:a@b', [
      ['Via', 'SIP/2.0/UDP x;branch=z9hG4bK1'],
      ['From', '<sip:a@b>;tag=1'],
      ['To', '<sip:c@d>;tag=2'],
      ['Call-ID', 'x'],
      ['CSeq', '2 BYE'],
      ['Reason', 'Preemption;cause=1;text="x, y", Q.850;cause=34'],
    ]),
  )
  assert.deepEqual(legEnd({ by: 'peer', message }, true), { by: 'peer', cause: 'overloaded' })
})

test('a peer that is silent or unreachable is not treated as absent', () => {
  for (const status of [408, 503]) {
    const end = legEnd({ by: 'network', status }, false)
    assert.deepEqual([end.cause, statusOf(end.cause)], ['unreachable', 408])
    assert.equal(legEnd({ by: 'network', status }, true).cause, 'failed')
  }
})
