import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Input } from '#test/session/scripted-endpoint.ts'
import { openSession } from '#test/session/session-fixture.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'

const reasons = (ends: OutgoingEvent[]): (SessionEndReason | undefined)[] =>
  ends.map(({ body }) => (body.type === 'session_end' ? body.reason : undefined))

const asking = (seconds: number | undefined): Input => ({
  type: 'speak',
  text: 'Question',
  ...(seconds !== undefined && { user_input_timeout_seconds: seconds }),
})

test('sends user_input_timeout once, its seconds after the end of an unanswered speech', async (t) => {
  const { fixture } = await openSession(t, { duplex: true })
  fixture.channel.acts(asking(5))
  await fixture.seconds(5.3)
  assert.equal(fixture.channel.types.includes('user_input_timeout'), false)
  await fixture.seconds(0.2)
  assert.equal(fixture.channel.types.at(-1), 'user_input_timeout')
  await fixture.seconds(60)
  assert.equal(fixture.channel.ofType('user_input_timeout').length, 1)
})

test('counts words, keys and another speech as an answer, but not a cough', async (t) => {
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

test("applies the flow's input timeout if a speech has none, only for endpoints that request it", async (t) => {
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

test('ends a call after five minutes of silence', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  await fixture.seconds(200)
  fixture.conversation.callerSays('I am thinking')
  await fixture.seconds(200)
  caller.presses('#')
  await fixture.seconds(200)
  fixture.conversation.coughs()
  await fixture.seconds(99)
  assert.equal(caller.over, undefined)
  await fixture.seconds(1)
  assert.ok(caller.over)
  assert.deepEqual(reasons(await fixture.ends()), ['silence_timeout'])
})

test("limits the call duration to the flow's setting", async (t) => {
  const { fixture, caller } = await openSession(t, { settings: { timeouts: { maxCallSeconds: 90, silenceSeconds: 60 } } })
  await fixture.seconds(50)
  fixture.conversation.callerSays('Hello')
  await fixture.seconds(40)
  assert.ok(caller.over)
  assert.deepEqual(reasons(await fixture.ends()), ['max_duration'])
})

test('rings before the answer if the flow says so, and starts no session if the caller hangs up', async (t) => {
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

test('pauses the silence timeout while the transfer target rings, whatever the caller says', async (t) => {
  const colleague = '+4921163559999'
  const settings = { transferTargets: [colleague], timeouts: { silenceSeconds: 20 } }
  const { fixture, caller } = await openSession(t, { duplex: true, settings })
  await fixture.exchange.addTrunk()
  fixture.channel.acts({ type: 'transfer', target: colleague })
  await fixture.seconds(2)
  fixture.conversation.callerSays('Hello?')
  caller.presses('1')
  await fixture.seconds(25)
  assert.equal(caller.over, undefined)
  fixture.exchange.phone.refuses('busy')
  await fixture.seconds(19)
  assert.equal(caller.over, undefined)
  await fixture.seconds(2)
  assert.deepEqual(reasons(await fixture.ends()), ['silence_timeout'])
})
