import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { RecordingRule } from '@offhook/contract/v1/settings/recording-rule.ts'
import { openTestStore } from '#test/store/databases.ts'
import { SessionFixture } from '#test/session/session-fixture.ts'
import { adminOf } from '#test/routing/flow-calls.ts'

const question = 'say Si vous êtes d’accord, tapez un, ou dites oui. Sinon, tapez deux, ou dites non. Êtes-vous d’accord ?'

/** A caller to a recorded flow, in an account with this recording rule. */
const callIn = async (t: TestContext, rule: RecordingRule) => {
  let fixture: SessionFixture | undefined
  t.after(() => fixture?.close())
  fixture = new SessionFixture(await openTestStore(t, 'sqlite'))
  const customer = await fixture.newCustomer({ recording: true, language: 'fr-FR' })
  await fixture.exchange.store.write(({ recordingRules }) => recordingRules.set(customer.accountId, rule))
  const caller = await fixture.exchange.callIn(customer.number)
  const isRecorded = (): boolean => fixture.exchange.calls.list(adminOf(customer))[0]?.status().recording ?? false
  return { fixture, caller, isRecorded }
}

test('asks the caller in the language of the flow, by key or voice, before the session begins', async (t) => {
  for (const answer of ['key', 'voice'] as const) {
    const { fixture, caller, isRecorded } = await callIn(t, 'consent')
    await fixture.seconds(4)
    const [asking] = fixture.conversations
    assert.deepEqual(asking?.log.slice(0, 2), ['say Cet appel doit être enregistré.', question])
    assert.deepEqual([isRecorded(), fixture.endpoints.channels.length], [false, 0], 'nothing before the answer')
    if (answer === 'key') caller.presses('1')
    else asking.callerSays('Oui, d’accord.', { breaksIn: false })
    await fixture.rest()
    assert.deepEqual([isRecorded(), fixture.channel.types], [true, ['session_start']], answer)
    caller.hangsUp()
    await fixture.rest()
  }
})

test('records no audio when the caller says no or stays silent, and still serves the caller', async (t) => {
  for (const answer of ['no', 'silence'] as const) {
    const { fixture, caller, isRecorded } = await callIn(t, 'consent')
    await fixture.seconds(4)
    if (answer === 'no') fixture.conversation.callerSays('Non merci.', { breaksIn: false })
    else await fixture.seconds(60)
    await fixture.rest()
    assert.deepEqual([isRecorded(), fixture.channel.types[0], fixture.exchange.failures], [false, 'session_start', []], answer)
    caller.hangsUp()
    await fixture.rest()
  }
})

test('announces the recording in the language of the flow, then begins the session', async (t) => {
  const { fixture, caller, isRecorded } = await callIn(t, 'announce')
  await fixture.rest()
  assert.equal(caller.log.at(-1), 'announce fr/recording-notice')
  assert.deepEqual([isRecorded(), fixture.endpoints.channels.length], [false, 0])
  await fixture.seconds(3)
  assert.deepEqual([isRecorded(), fixture.channel.types], [true, ['session_start']])
  caller.hangsUp()
  await fixture.rest()
})

test('ends the question when the caller hangs up', async (t) => {
  const { fixture, caller } = await callIn(t, 'consent')
  await fixture.seconds(2)
  caller.hangsUp()
  await fixture.rest()
  assert.ok(fixture.conversations.every(({ closed }) => closed))
})

test('keeps keys from the endpoint while the interface asks for consent', async (t) => {
  let fixture: SessionFixture | undefined
  t.after(() => fixture?.close())
  fixture = new SessionFixture(await openTestStore(t, 'sqlite'))
  const customer = await fixture.newCustomer({ extendedEvents: ['dtmf_received'] })
  await fixture.exchange.store.write(({ recordingRules }) => recordingRules.set(customer.accountId, 'consent'))
  const caller = await fixture.exchange.callIn(customer.number)
  const [call] = fixture.exchange.calls.list(adminOf(customer))
  const recorded = call?.record(true, { announcement: false })
  await fixture.rest()
  caller.presses('1')
  await recorded
  caller.presses('5')
  await fixture.rest()
  assert.deepEqual(
    fixture.channel.ofType('dtmf_received').map(({ digit }) => digit),
    ['5'],
  )
  caller.hangsUp()
  await fixture.rest()
})
