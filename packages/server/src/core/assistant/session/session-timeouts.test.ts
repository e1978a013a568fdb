import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Wish } from '#test/session/scripted-endpoint.ts'
import { openSession } from '#test/session/scripted-session.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'

const reasons = (ends: OutgoingEvent[]): (SessionEndReason | undefined)[] =>
  ends.map(({ body }) => (body.type === 'session_end' ? body.reason : undefined))

const asking = (seconds: number | undefined): Wish => ({
  type: 'speak',
  text: 'Question',
  ...(seconds !== undefined && { user_input_timeout_seconds: seconds }),
})

test('a speech that wants an answer within some seconds is told when there is none, counted from its end, once', async (t) => {
  const { studio } = await openSession(t, { duplex: true })
  studio.channel.acts(asking(5))
  await studio.seconds(5.3)
  assert.equal(studio.channel.types.includes('user_input_timeout'), false)
  await studio.seconds(0.2)
  assert.equal(studio.channel.types.at(-1), 'user_input_timeout')
  await studio.seconds(60)
  assert.equal(studio.channel.ofType('user_input_timeout').length, 1)
})

test('words, keys and another speech are an answer; a cough is none', async (t) => {
  const { studio, caller } = await openSession(t, { duplex: true })
  const timeouts = (): number => studio.channel.ofType('user_input_timeout').length
  studio.channel.acts(asking(5))
  await studio.seconds(3)
  studio.conversation.callerSays('Yes')
  await studio.seconds(30)
  assert.equal(timeouts(), 0)

  studio.channel.acts(asking(5))
  await studio.seconds(3)
  caller.presses('1')
  await studio.seconds(30)
  assert.equal(timeouts(), 0)

  studio.channel.acts(asking(5))
  await studio.seconds(3)
  studio.channel.acts(asking(0))
  await studio.seconds(30)
  assert.equal(timeouts(), 0)

  studio.channel.acts(asking(5))
  await studio.seconds(3)
  studio.conversation.callerBegins()
  await studio.seconds(10)
  assert.equal(timeouts(), 0, 'what is being said may be the answer')
  studio.conversation.coughs()
  await studio.rest()
  assert.equal(timeouts(), 1)
})

test('the flow’s own time for an answer counts where a speech has none, but only for endpoints that want to know', async (t) => {
  const timeouts = { userInputSeconds: 4 }
  const knowing = await openSession(t, { duplex: true, settings: { timeouts, extendedEvents: ['user_input_timeout'] } })
  knowing.studio.channel.acts(asking(undefined))
  await knowing.studio.seconds(5)
  assert.equal(knowing.studio.channel.types.at(-1), 'user_input_timeout')
  const strict = await openSession(t, { duplex: true, settings: { timeouts } })
  strict.studio.channel.acts(asking(undefined))
  await strict.studio.seconds(5)
  assert.equal(strict.studio.channel.types.at(-1), 'assistant_speak')
})

test('who says nothing for five minutes is not there any more', async (t) => {
  const { studio, caller } = await openSession(t, { duplex: true })
  await studio.seconds(200)
  studio.conversation.callerSays('I am thinking')
  await studio.seconds(200)
  caller.presses('#')
  await studio.seconds(200)
  studio.conversation.coughs()
  await studio.seconds(99)
  assert.equal(caller.over, undefined)
  await studio.seconds(1)
  assert.ok(caller.over)
  assert.deepEqual(reasons(await studio.ends()), ['silence_timeout'])
})

test('a flow says how long its calls last', async (t) => {
  const { studio, caller } = await openSession(t, { settings: { timeouts: { maxCallSeconds: 90, silenceSeconds: 60 } } })
  await studio.seconds(50)
  studio.conversation.callerSays('Hello')
  await studio.seconds(40)
  assert.ok(caller.over)
  assert.deepEqual(reasons(await studio.ends()), ['max_duration'])
})

test('a flow may let it ring first; who does not wait is not greeted', async (t) => {
  const { studio, customer, caller } = await openSession(t, { settings: { answerAfterSeconds: 10 } })
  assert.deepEqual(caller.log, ['ring'])
  await studio.seconds(10)
  assert.deepEqual([caller.log, studio.channel.types], [['ring', 'answer'], ['session_start']])
  const hasty = await studio.exchange.callIn(customer.number)
  await studio.seconds(3)
  hasty.hangsUp()
  await studio.seconds(10)
  assert.equal(studio.endpoints.channels.length, 1)
  assert.deepEqual(await studio.ends(), [])
})

test('what is said to the ringing of somebody else begins no new silence', async (t) => {
  const colleague = '+4921163559999'
  const settings = { transferTargets: [colleague], timeouts: { silenceSeconds: 20 } }
  const { studio, caller } = await openSession(t, { duplex: true, settings })
  await studio.exchange.addTrunk()
  studio.channel.acts({ type: 'transfer', target: colleague })
  await studio.seconds(2)
  studio.conversation.callerSays('Hello?')
  caller.presses('1')
  await studio.seconds(25)
  assert.equal(caller.over, undefined)
  studio.exchange.phone.refuses('busy')
  await studio.seconds(19)
  assert.equal(caller.over, undefined)
  await studio.seconds(2)
  assert.deepEqual(reasons(await studio.ends()), ['silence_timeout'])
})
