import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RingNews } from '@offhook/contract/v3/phone.ts'
import { dialable, dialled, endWordOf, heard, isOwn, isWaiting, joinable, rung, signalOf, spokenIn, type PhoneCall } from './calls.ts'

const ring: RingNews = {
  type: 'ring',
  callId: 'in',
  from: { number: '+4930123', name: 'Anna' },
  to: { number: '+4930999', line: 'Office' },
  since: '2026-11-17T12:00:00.000Z',
}
const callId = 'out'
const out = dialled(callId, { number: '+4930123' }, 0)
const talking = (id: string, held = false): PhoneCall => ({
  ...heard(dialled(id, {}, 0), { type: 'answered', callId: id }, 5),
  held,
})

test('a dialled call rings, talks and ends, and does not start again', () => {
  const ringing = heard(out, { type: 'ringing', callId }, 1)
  assert.equal(ringing.phase, 'ringing')
  const answered = heard(ringing, { type: 'answered', callId }, 2)
  assert.deepEqual([answered.phase, answered.answeredAt], ['talking', 2])
  assert.equal(heard(answered, { type: 'ringing', callId }, 3).phase, 'talking', 'a late ringing means nothing')
  assert.equal(heard(answered, { type: 'answered', callId }, 3).answeredAt, 2)
  const over = heard(answered, { type: 'ended', callId, by: 'peer', cause: 'normal' }, 9)
  assert.deepEqual([over.phase, over.endedAt, endWordOf(over)], ['over', 9, 'over'])
  assert.equal(heard(over, { type: 'answered', callId }, 10).phase, 'over')
})

test('applies other events of the service to the call', () => {
  const notified = [
    heard(out, { type: 'call', callId, coreCallId: '17' }, 1).coreCallId,
    heard(out, { type: 'held', callId, value: true }, 1).heldByOther,
    heard(out, { type: 'recording', callId, value: true }, 1).recording,
    heard(out, { type: 'transfer', callId, state: 'failed', cause: 'busy' }, 1).transfer,
    heard(out, { type: 'problem', callId, message: 'No' }, 1).problem,
  ]
  assert.deepEqual(notified, ['17', true, true, 'failed', 'No'])
})

test('describes the end in words: no answer, missed, network lost', () => {
  const ended = (call: PhoneCall, by: 'peer' | 'us' | 'network', cause: string) =>
    endWordOf(heard(call, { type: 'ended', callId: call.id, by, cause }, 9))
  assert.deepEqual(
    ['busy', 'no_answer', 'unavailable', 'loop', 'normal'].map((cause) => ended(out, 'us', cause)),
    ['busy', 'no_answer', 'unreachable', 'failed', 'over'],
  )
  assert.equal(ended(rung(ring), 'us', 'normal'), 'missed')
  assert.equal(ended(rung(ring), 'peer', 'rejected'), 'over', 'the person has declined')
  assert.equal(ended(talking('a'), 'network', 'failed'), 'network')
})

test('picks the active call, excludes waiting ones, and joins two talking calls', () => {
  const waiting = rung(ring)
  assert.ok(isWaiting(waiting) && !isOwn(waiting))
  assert.equal(spokenIn([waiting]), undefined)
  assert.equal(spokenIn([talking('a', true), talking('b')])?.id, 'b')
  assert.equal(spokenIn([talking('a', true)])?.id, 'a', 'a held one is still the person’s')
  assert.deepEqual(
    joinable([talking('a', true), talking('b')])?.map(({ id }) => id),
    ['b', 'a'],
  )
  assert.equal(joinable([talking('a', true), out]), undefined, 'nobody has answered there yet')
})

test('rings, knocks during a call, and plays ringback if the other side sends none', () => {
  const ringing = heard(out, { type: 'ringing', callId }, 1)
  assert.equal(signalOf([rung(ring)], false), 'ringtone')
  assert.equal(signalOf([talking('a'), rung(ring)], false), 'knocking')
  assert.equal(signalOf([ringing], false), 'ringback')
  assert.equal(signalOf([ringing], true), undefined)
  assert.equal(signalOf([talking('a')], false), undefined)
})

test('normalizes numbers as people and links write them', () => {
  assert.deepEqual(['+49 (30) 123-45', 'tel:+49-30-123;ext=4', ' 0151/234.5 ', '*43', '11'].map(dialable), [
    '+493012345',
    '+4930123',
    '01512345',
    '*43',
    '11',
  ])
})
