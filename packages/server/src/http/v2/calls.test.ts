import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import type { ApiError } from '@offhook/sdk'
import type { RunningCall } from '#core/telephone/call/state/calls.ts'
import { databases, startWorld, type Person } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

/** A call as the call router would register it: records its commands. */
const runningCall = (callId: string, { accountId, userId }: Person, established = true): RunningCall & { asked: string[] } => {
  const asked: string[] = []
  const note =
    (what: string) =>
    async (...details: unknown[]): Promise<void> =>
      void asked.push(`${what} ${JSON.stringify(details)}`)
  const participants = [{ participantId: 'P1', phoneNumber: '+4921163554444', muted: false, hold: false, owner: false }]
  return {
    callId,
    accountId,
    userIds: [userId],
    extensions: [],
    established,
    asked,
    status: () => ({ callId, muted: false, recording: false, hold: false, participants }),
    hold: note('hold'),
    mute: note('mute'),
    transfer: note('transfer'),
    record: note('record'),
    pauseRecording: note('pauseRecording'),
    sendDtmf: note('dtmf'),
    announce: async (fetch) => note('announce')(await fetch().catch(({ message }: Error) => message)),
    hangUp: note('hangUp'),
  }
}

for (const database of databases) {
  test(`${database}: returns an empty list and 404 for every callId when no call runs`, async (t) => {
    const world = await startWorld(t, { database })
    const { api } = await world.newAccount()
    assert.deepEqual(await api.listCalls(), { data: [] })
    const at = { callId: 'ABCDEF0123456789' }
    const unknown = { status: 404 }
    await assert.rejects(api.holdCall(at, { value: true }), unknown)
    await assert.rejects(api.muteCall(at, { value: false }), unknown)
    await assert.rejects(api.transferCall(at, { attended: false, phoneNumber: '+4921163554444' }), unknown)
    await assert.rejects(api.recordCall(at, { value: true, announcement: true }), unknown)
    await assert.rejects(api.recordCall(at, { value: true }), unknown)
    await assert.rejects(api.sendDtmf(at, { sequence: '12*#' }), unknown)
    await assert.rejects(api.announceInCall(at, { url: 'https://example.com/a.wav' }), unknown)
    await assert.rejects(api.hangUpCall(at), unknown)

    const wrong = { status: 400 }
    await assert.rejects(api.sendDtmf(at, { sequence: 'A1' }), wrong)
    await assert.rejects(api.sendDtmf(at, { sequence: '' }), wrong)
    await assert.rejects(api.sendDtmf(at, { sequence: '1'.repeat(65) }), wrong)
    await assert.rejects(api.transferCall(at, { attended: true, phoneNumber: 'nobody' }), wrong)
    await assert.rejects(api.transferCall(at, { attended: true, phoneNumber: '+4921163554444', callerId: 'x' }), wrong)
    await assert.rejects(api.announceInCall(at, { url: 'file:///etc/passwd' }), wrong)
    await assert.rejects(api.announceInCall(at, { url: 'a.wav' }), wrong)
    await assert.rejects(api.announceInCall(at, { url: 'https://ada:secret@example.com/a.wav' }), withCode('parameter_invalid', 'url'))
    await assert.rejects(world.client().listCalls(), { status: 401 })
  })
}

test('shows a running call to its owners and lets them control it', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const carol = await world.newUser(ada.accountId)
  const eve = await world.newAccount()
  const call = runningCall('c1', bob)
  const ringing = runningCall('c2', bob, false)
  for (const one of [call, ringing]) world.running.deps.calls.here.enter(one)
  const seen = async (person: Person) => (await person.api.listCalls()).data.map(({ callId }) => callId)
  assert.deepEqual(await seen(ada), ['c1'], 'an administrator, and only established calls')
  assert.deepEqual(await seen(bob), ['c1'])
  assert.deepEqual(await seen(carol), [])
  assert.deepEqual(await seen(eve), [])
  const at = { callId: 'c1' }
  await bob.api.holdCall(at, { value: true })
  await bob.api.recordCall(at, { value: true })
  await bob.api.pauseRecording(at, { value: true })
  await ada.api.transferCall(at, { attended: false, phoneNumber: '0211 63554444' })
  await bob.api.announceInCall(at, { url: 'http://127.0.0.1:1/a.wav' })
  assert.deepEqual(call.asked, [
    'hold [true]',
    'record [true,{"announcement":false}]',
    'pauseRecording [true]',
    `transfer [{"userId":"${ada.userId}","to":"+4921163554444","attended":false}]`,
    'announce ["url could not be fetched"]',
  ])
  await assert.rejects(ada.api.transferCall(at, { attended: false, phoneNumber: '0900 1234567' }), { status: 403 })
  await assert.rejects(ada.api.transferCall(at, { attended: false, phoneNumber: '+4921163554444', callerId: '+493023125000' }), {
    status: 403,
  })
  for (const outsideNumber of [carol, eve]) await assert.rejects(outsideNumber.api.hangUpCall(at), { status: 404 })
  await assert.rejects(bob.api.holdCall({ callId: 'c2' }, { value: true }), { status: 409 })
  await bob.api.hangUpCall({ callId: 'c2' })
  assert.deepEqual(ringing.asked, ['hangUp []'])
  world.running.deps.calls.here.leave('c1')
  await assert.rejects(bob.api.hangUpCall(at), { status: 404 })
})

test('explains a failed transfer by a code and a text', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const problems = [
    new Problem('transfer_failed', 'Nobody answered.'),
    new Problem('insufficient_funds'),
    new Problem('destination_blocked'),
    new Problem('call_not_in_state'),
  ]
  const transfer = (): Promise<void> => Promise.reject(problems[0] ?? assert.fail())
  world.running.deps.calls.here.enter({ ...runningCall('c1', ada), transfer })
  const answers: unknown[] = []
  for (; problems.length > 0; problems.shift())
    await ada.api
      .transferCall({ callId: 'c1' }, { attended: true, phoneNumber: '+4921163554444' })
      .catch((error: ApiError) => answers.push([error.status, error.body.code, error.message]))
  assert.deepEqual(answers[0], [409, 'transfer_failed', 'Nobody answered.'])
  assert.deepEqual(
    answers.map((answer) => (answer as unknown[]).slice(0, 2).join(' ')),
    ['409 transfer_failed', '402 insufficient_funds', '403 destination_blocked', '409 call_not_in_state'],
  )
  for (const phoneNumber of ['112', '+49110', '116117']) {
    const asked = ada.api.transferCall({ callId: 'c1' }, { attended: false, phoneNumber })
    await assert.rejects(asked, { status: 403 })
  }
})
