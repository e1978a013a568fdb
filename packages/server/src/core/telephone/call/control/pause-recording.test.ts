import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'

const as = ({ accountId, userId }: Customer): UserCaller => ({ accountId, userId, admin: true }) as UserCaller

const talking = async (exchange: Exchange, ada: Customer) => {
  const caller = await exchange.callIn(ada.number)
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  const [call] = exchange.calls.list(as(ada))
  return { caller, phone, call: call ?? assert.fail('no call') }
}

test('pauses and resumes a recording by the interface, and says so in the list of calls and in the timeline', async (t) => {
  const exchange = await openExchange(t, { keepsTimelines: true })
  const ada = await exchange.newCustomer()
  const { caller, phone, call } = await talking(exchange, ada)
  await assert.rejects(call.pauseRecording(true), { code: 'conflict' })
  await call.record(true, { announcement: false })
  await call.pauseRecording(true)
  await call.pauseRecording(true)
  assert.deepEqual([call.status().recording, call.status().recordingPaused], [true, true])
  await call.pauseRecording(false)
  assert.equal('recordingPaused' in call.status(), false)
  assert.deepEqual(phone.bridge?.log, ['record', 'pause', 'resume'])
  await call.pauseRecording(true)
  await call.record(false, { announcement: false })
  await call.record(true, { announcement: false })
  assert.equal(call.status().recordingPaused, undefined, 'a new recording is not paused')
  caller.hangsUp()
  await exchange.rest()
  await exchange.timelines.flush()
  const pieces = await exchange.store.read.timelines.listPieces(ada.accountId, call.callId, 0, 100)
  const states = pieces.flatMap(({ entries }) => JSON.parse(entries) as TimelineEntry[]).map((entry) => 'state' in entry && entry.state)
  assert.deepEqual(
    states.filter((state) => String(state).startsWith('recording')),
    ['recording', 'recording_paused', 'recording_resumed', 'recording_paused', 'recording_stopped', 'recording'],
  )
})

test('pauses by *0 on a phone of the account, and by no other keys or phone', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { caller, phone, call } = await talking(exchange, ada)
  phone.presses('*0')
  await call.record(true, { announcement: false })
  const paused = (): boolean => call.status().recordingPaused ?? false
  assert.equal(paused(), false, 'not before it is recorded')
  caller.presses('*0')
  phone.presses('0*50')
  assert.equal(paused(), false)
  phone.presses('*')
  await exchange.seconds(3)
  phone.presses('0')
  assert.equal(paused(), false, 'too late')
  phone.presses('*0')
  assert.deepEqual([paused(), phone.log.at(-1)], [true, 'play beep'])
  phone.presses('*0')
  assert.equal(paused(), false)
  await call.record(false, { announcement: false })
  phone.presses('*0')
  assert.deepEqual(phone.bridge?.log, ['record', 'pause', 'resume'])
  caller.hangsUp()
  await exchange.rest()
})
