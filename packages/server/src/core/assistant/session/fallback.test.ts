import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreachable, type Wish } from '#test/session/scripted-endpoint.ts'
import { openSession, type Studio } from '#test/session/scripted-session.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'

const colleague = '+4921163559999'

const reason = async (studio: Studio): Promise<unknown> => {
  const ends = await studio.ends()
  assert.ok(ends.length <= 1)
  return ends[0]?.body.type === 'session_end' ? ends[0].body.reason : undefined
}

test('when the endpoint cannot be told of a session the caller hears why, and the call ends', async (t) => {
  const { studio, caller } = await openSession(t, { reply: unreachable })
  await studio.seconds(2)
  assert.match(studio.conversation.log.join(), /^say Dieser Dienst ist zurzeit leider nicht erreichbar/)
  studio.conversation.callerSays('Hello?', { breaksIn: false })
  await studio.seconds(10)
  assert.ok(caller.over)
  assert.equal(await reason(studio), 'endpoint_unavailable')
  assert.deepEqual(new Set(studio.channel.types), new Set(['session_start', 'assistant_speak']))
  assert.deepEqual(studio.exchange.failures, [], 'that is no fault of ours')
})

test('the flow has its own words for that, in its own language, or somebody who takes over', async (t) => {
  const own = await openSession(t, { reply: unreachable, settings: { fallback: { text: 'Closed' } } })
  await own.studio.seconds(1)
  assert.deepEqual([own.studio.conversation.log[0], await reason(own.studio)], ['say Closed', 'endpoint_unavailable'])

  const english = await openSession(t, { reply: unreachable, settings: { language: 'en-GB' } })
  assert.match(english.studio.conversation.log.join(), /^say We are sorry/)

  const { studio, caller } = await openSession(t, { settings: { fallback: { text: 'One moment', transferTo: colleague } } })
  await studio.exchange.addTrunk()
  studio.endpoints.reply = unreachable
  for (const _ of [1, 2, 3]) {
    studio.conversation.callerSays('Hello?')
    await studio.seconds(0.1)
  }
  await studio.seconds(1)
  studio.exchange.phone.answers()
  await studio.rest()
  assert.equal(await reason(studio), 'transferred')
  assert.equal(caller.hears.length, 1)
})

test('a fallback that nobody answers ends the call all the same', async (t) => {
  const { studio, caller } = await openSession(t, { reply: unreachable, settings: { fallback: { transferTo: colleague } } })
  await studio.seconds(60)
  assert.ok(caller.over)
  assert.deepEqual(studio.conversation.log, ['interrupt', 'interrupt', 'close'])
  assert.equal(await reason(studio), 'endpoint_unavailable')
})

test('a turn that cannot be told is asked for again, three in a row end the call, one that works forgives', async (t) => {
  let broken = true
  const reply = ({ body }: OutgoingEvent): Wish[] | Error => (body.type === 'user_speak' && broken ? unreachable() : [])
  const { studio, caller } = await openSession(t, { reply, settings: { retryText: 'Again?' } })
  const turn = async (): Promise<void> => {
    studio.conversation.callerSays('Hello')
    await studio.seconds(1)
  }
  await turn()
  await turn()
  assert.deepEqual(studio.conversation.log, ['say Again?', 'say Again?'])
  broken = false
  await turn()
  broken = true
  await turn()
  await turn()
  assert.equal(caller.over, undefined)
  await turn()
  assert.match(studio.conversation.log.at(-1) ?? '', /nicht erreichbar/)
  await studio.seconds(10)
  assert.equal(await reason(studio), 'endpoint_unavailable')
})

test('a WebSocket that is lost for good is an endpoint that cannot be asked', async (t) => {
  const { studio, caller } = await openSession(t, { duplex: true })
  studio.channel.acts({ type: 'speak', text: 'What is being said is said to its end' })
  await studio.seconds(1)
  studio.channel.observer.lost()
  studio.channel.acts({ type: 'speak', text: 'too late' })
  await studio.seconds(20)
  assert.equal(studio.channel.ofType('assistant_speak')[0]?.text, 'What is being said is said to its end')
  assert.equal(studio.conversation.log.includes('say too late'), false)
  assert.ok(caller.over)
  assert.equal(await reason(studio), 'endpoint_unavailable')
})

test('an endpoint that is hopelessly behind is not waited for', async (t) => {
  const reply = ({ body }: OutgoingEvent): Wish[] | Promise<Wish[]> => (body.type === 'session_start' ? [] : new Promise(() => {}))
  const { studio, caller } = await openSession(t, { reply, settings: { extendedEvents: ['dtmf_received'] } })
  caller.presses('0'.repeat(65))
  await studio.rest()
  assert.deepEqual(studio.conversation.log, [])
  caller.presses('0')
  await studio.seconds(30)
  assert.ok(caller.over)
  assert.equal(await reason(studio), 'endpoint_unavailable')
})

test('an endpoint that is lost while somebody else is being called does not stop that; only when nobody comes is the call over', async (t) => {
  const settings = { transferTargets: [colleague], fallback: { text: 'Closed' } }
  const taken = await openSession(t, { duplex: true, settings })
  await taken.studio.exchange.addTrunk()
  taken.studio.channel.acts({ type: 'transfer', target: colleague })
  await taken.studio.seconds(5)
  taken.studio.channel.observer.lost()
  await taken.studio.seconds(5)
  assert.deepEqual([taken.caller.over, taken.studio.conversation.log.includes('say Closed')], [undefined, false])
  taken.studio.exchange.phone.answers()
  await taken.studio.seconds(5)
  assert.deepEqual([taken.caller.over, await reason(taken.studio)], [undefined, 'transferred'])

  const refused = await openSession(t, { duplex: true, settings })
  await refused.studio.exchange.addTrunk()
  refused.studio.channel.acts({ type: 'transfer', target: colleague })
  await refused.studio.seconds(5)
  refused.studio.channel.observer.lost()
  refused.studio.exchange.phone.refuses('busy')
  await refused.studio.seconds(5)
  assert.ok(refused.studio.conversation.log.includes('say Closed'))
  assert.equal(await reason(refused.studio), 'endpoint_unavailable')
})
