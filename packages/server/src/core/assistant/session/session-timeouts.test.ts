import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Wish } from '#test/session/scripted-endpoint.ts'
import { openSession } from '#test/session/session-fixture.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'

const reasons = (ends: OutgoingEvent[]): (SessionEndReason | undefined)[] =>
  ends.map(({ body }) => (body.type === 'session_end' ? body.reason : undefined))

const asking = (seconds: number | undefined): Wish => ({
  type: 'speak',
  text: 'Question',
  ...(seconds !== undefined && { user_input_timeout_seconds: seconds }),
})

test('user_input_timeout is sent once when the caller does not answer a speech within its seconds, counted from its end', async (t) => {
  const { fixture } = await openSession(t, { duplex: true })
  fixture.channel.acts(asking(5))
  await fixture.seconds(5.3)
  assert.equal(fixture.channel.types.includes('user_input_timeout'), false)
  await fixture.seconds(0.2)
  assert.equal(fixture.channel.types.at(-1), 'user_input_timeout')
  await fixture.seconds(60)
  assert.equal(fixture.channel.ofType('user_input_timeout').length, 1)
})

test('words, keys and another speech are an answer; a cough is none', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  const timeouts = (): number => fixture.channel.ofType('user_input_timeout').length
  fixture.channel.acts(asking(5))
  await fixture.seconds(3)
  fixture.conversation.callerSays('Yes')
  await fixture.seconds(30)
  assert.equal(timeouts(), 0)

  fixture.channel.acts(asking(5))
  await fixture.seconds(3)
  caller.presses('1')
  await fixture.seconds(30)
  assert.equal(timeouts(), 0)

  fixture.channel.acts(asking(5))
  await fixture.seconds(3)
  fixture.channel.acts(asking(0))
  await fixture.seconds(30)
  assert.equal(timeouts(), 0)

  fixture.channel.acts(asking(5))
  await fixture.seconds(3)
  fixture.conversation.callerBegins()
  await fixture.seconds(10)
  assert.equal(timeouts(), 0, 'what is being said may be the answer')
  fixture.conversation.coughs()
  await fixture.rest()
  assert.equal(timeouts(), 1)
})

test('the flow’s own time for an answer counts where a speech has none, but only for endpoints that want to know', async (t) => {
  const timeouts = { userInputSeconds: 4 }
  const knowing = await openSession(t, { duplex: true, settings: { timeouts, extendedEvents: ['user_input_timeout'] } })
  knowing.fixture.channel.acts(asking(undefined))
  await knowing.fixture.seconds(5)
  assert.equal(knowing.fixture.channel.types.at(-1), 'user_input_timeout')
  const strict = await openSession(t, { duplex: true, settings: { timeouts } })
  strict.fixture.channel.acts(asking(undefined))
  await strict.fixture.seconds(5)
  assert.equal(strict.fixture.channel.types.at(-1), 'assistant_speak')
})

test('a call with five minutes of silence ends', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  await fixture.seconds(200)
  fixture.conversation.callerSays('I am thinking')
  await fixture.seconds(200)
  caller.presses('#')
  await fixture.seconds(200)
  fixture.conversation.coughs()
  await fixture.seconds(99)
  assert.equal(caller.ended, undefined)
  await fixture.seconds(1)
  assert.ok(caller.ended)
  assert.deepEqual(reasons(await fixture.ends()), ['silence_timeout'])
})

test('a flow says how long its calls last', async (t) => {
  const { fixture, caller } = await openSession(t, { settings: { timeouts: { maxCallSeconds: 90, silenceSeconds: 60 } } })
  await fixture.seconds(50)
  fixture.conversation.callerSays('Hello')
  await fixture.seconds(40)
  assert.ok(caller.ended)
  assert.deepEqual(reasons(await fixture.ends()), ['max_duration'])
})

test('a flow may let the call ring first; a caller who hangs up meanwhile has no session', async (t) => {
  const { fixture, customer, caller } = await openSession(t, { settings: { answerAfterSeconds: 10 } })
  assert.deepEqual(caller.log, ['ring'])
  await fixture.seconds(10)
  assert.deepEqual([caller.log, fixture.channel.types], [['ring', 'answer'], ['session_start']])
  const hasty = await fixture.exchange.callIn(customer.number)
  await fixture.seconds(3)
  hasty.hangsUp()
  await fixture.seconds(10)
  assert.equal(fixture.endpoints.channels.length, 1)
  assert.deepEqual(await fixture.ends(), [])
})

test('what the caller says while the transfer target rings does not restart the silence timeout', async (t) => {
  const colleague = '+4921163559999'
  const settings = { transferTargets: [colleague], timeouts: { silenceSeconds: 20 } }
  const { fixture, caller } = await openSession(t, { duplex: true, settings })
  await fixture.exchange.addTrunk()
  fixture.channel.acts({ type: 'transfer', target: colleague })
  await fixture.seconds(2)
  fixture.conversation.callerSays('Hello?')
  caller.presses('1')
  await fixture.seconds(25)
  assert.equal(caller.ended, undefined)
  fixture.exchange.phone.refuses('busy')
  await fixture.seconds(19)
  assert.equal(caller.ended, undefined)
  await fixture.seconds(2)
  assert.deepEqual(reasons(await fixture.ends()), ['silence_timeout'])
})
