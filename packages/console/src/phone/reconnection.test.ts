import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageFrame } from '@offhook/contract/v3/phone.ts'
import { dialled, type PhoneCall } from '#api/phone/calls.ts'
import { Reconnection } from './reconnection.ts'

const talking: PhoneCall = { ...dialled('talking', {}, 0), phase: 'talking', answeredAt: 1, held: true }
const accepted: PhoneCall = { ...talking, id: 'accepted', incoming: true, held: false }
delete accepted.answeredAt
const rings: PhoneCall = { ...accepted, id: 'rings', phase: 'ringing' }
const begins = dialled('begins', {}, 0)
const over: PhoneCall = { ...talking, id: 'over', phase: 'over' }

/** A clock controlled by the test. */
const newClock = () => {
  let now = 0
  let due: { at: number; work: () => void }[] = []
  const after = (ms: number, work: () => void) => {
    const one = { at: now + ms, work }
    due.push(one)
    return () => void (due = due.filter((other) => other !== one))
  }
  const advance = (ms: number): void => {
    now += ms
    const past = due.filter(({ at }) => at <= now)
    due = due.filter(({ at }) => at > now)
    for (const { work } of past) work()
  }
  return { after, advance }
}

const open = () => {
  const clock = newClock()
  const sent: PageFrame[] = []
  const lost: string[] = []
  const reconnection = new Reconnection({
    calls: () => [talking, accepted, rings, begins, over],
    offerOf: (callId) => (callId === 'talking' || callId === 'accepted' ? 'v=0' : undefined),
    send: (frame) => sent.push(frame),
    lose: (calls) => lost.push(...calls.map(({ id }) => id)),
    after: clock.after,
  })
  return { clock, sent, lost, reconnection }
}

test('resumes the calls on the next connection and repeats possibly lost messages', () => {
  const { clock, sent, lost, reconnection } = open()
  reconnection.came('first')
  assert.deepEqual(sent, [], 'there was none before')
  reconnection.broke()
  clock.advance(9_000)
  reconnection.broke()
  reconnection.came('second')
  clock.advance(60_000)
  assert.deepEqual(sent.splice(0), [{ type: 'resume', pageId: 'first', callIds: ['talking', 'accepted', 'rings'] }])
  for (const callId of ['accepted', 'talking', 'talking', 'rings', 'unknown']) reconnection.heardOf(callId)
  assert.deepEqual(sent, [
    { type: 'accept', callId: 'accepted', sdp: 'v=0' },
    { type: 'hold', callId: 'talking', value: true },
  ])
  assert.deepEqual(lost, [])
})

test('loses the calls after ten seconds, or immediately when no connection is wanted', () => {
  const { clock, sent, lost, reconnection } = open()
  reconnection.came('first')
  reconnection.broke()
  clock.advance(9_000)
  reconnection.broke()
  clock.advance(1_000)
  assert.deepEqual(lost, ['talking', 'accepted', 'rings'])
  reconnection.ended()
  assert.equal(lost.length, 6)
  reconnection.came('anew')
  assert.deepEqual(sent, [])
})

test('replays commands once the service reports the call again', () => {
  const { clock, sent, reconnection } = open()
  const record = { type: 'record', callId: 'talking', value: true } as const
  const key = { type: 'dtmf', callId: 'talking', digits: '1' } as const
  reconnection.came('first')
  reconnection.say(key)
  assert.deepEqual(sent.splice(0), [key])
  reconnection.broke()
  reconnection.say(record)
  reconnection.say({ type: 'hangup', callId: 'over' })
  reconnection.came('second')
  reconnection.say(key)
  assert.deepEqual(
    sent.splice(0).map(({ type }) => type),
    ['resume'],
  )
  reconnection.heardOf('talking')
  assert.deepEqual(sent.splice(0), [{ type: 'hold', callId: 'talking', value: true }, record, key])
  reconnection.say(key)
  assert.deepEqual(sent.splice(0), [key])
  reconnection.broke()
  reconnection.say(record)
  clock.advance(10_000)
  reconnection.came('third')
  reconnection.heardOf('talking')
  assert.deepEqual(
    sent.map(({ type }) => type),
    ['resume', 'hold'],
    'what was lost is not wanted any more',
  )
})
