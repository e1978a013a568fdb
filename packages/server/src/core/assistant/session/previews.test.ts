import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { Reply, Input } from '#test/session/scripted-endpoint.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'

const settings = { extendedEvents: ['user_speak_preview', 'user_speak_revoked', 'action_discarded'], fillers: { off: true } } as const

/** Answers previews after a delay, and other turns immediately. */
const thinking =
  (fixture: () => SessionFixture, ms: number, answer: (text: string) => Input[] = speaks): Reply =>
  ({ body }: OutgoingEvent) => {
    if (body.type === 'user_speak') return [{ type: 'speak', text: `later: ${body.text}` }]
    if (body.type !== 'user_speak_preview') return []
    const { clock } = fixture().exchange
    return new Promise((resolve) => clock.after(ms, () => resolve(answer(body.text))))
  }
const speaks = (text: string): Input[] => [{ type: 'speak', text: `answer to ${text}` }]

const opened = async (t: Parameters<typeof openSession>[0], ms: number, answer?: (text: string) => Input[]): Promise<SessionFixture> => {
  const { fixture } = await openSession(t, { settings })
  fixture.endpoints.reply = thinking(() => fixture, ms, answer)
  return fixture
}
const notifications = (fixture: SessionFixture): string[] => fixture.channel.types.slice(1).filter((type) => type !== 'assistant_speak')

test("prepares the answer to a preview, says it at the end of the turn, and discards the turn's own answer", async (t) => {
  const fixture = await opened(t, 300)
  fixture.conversation.callerPauses('hello')
  await fixture.seconds(0.35)
  assert.deepEqual(fixture.conversation.log, ['prepare answer to hello'])
  fixture.conversation.callerSays('hello')
  await fixture.seconds(2)
  assert.deepEqual(fixture.conversation.log, ['prepare answer to hello', 'say answer to hello'])
  assert.deepEqual(notifications(fixture), ['user_speak_preview', 'user_speak', 'action_discarded'])
  const [said] = fixture.channel.ofType('user_speak')
  const [preview] = fixture.channel.ofType('user_speak_preview')
  assert.deepEqual([said?.previewed, preview?.text, preview?.confidence, preview?.end_probability], [true, 'hello', 0.9, 0.8])
})

test('revokes a preview and drops its audio when the caller continues', async (t) => {
  const fixture = await opened(t, 300)
  fixture.conversation.callerPauses('I want')
  await fixture.seconds(0.4)
  fixture.conversation.callerGoesOn()
  await fixture.seconds(0.1)
  fixture.conversation.callerSays('I want a table')
  await fixture.seconds(5)
  assert.deepEqual(fixture.conversation.log, ['prepare answer to I want', 'drop', 'say later: I want a table'])
  assert.deepEqual(notifications(fixture), ['user_speak_preview', 'user_speak_revoked', 'action_discarded', 'user_speak'])
  assert.equal(fixture.channel.ofType('user_speak_revoked')[0]?.turn_token, fixture.channel.ofType('user_speak_preview')[0]?.turn_token)
  assert.equal(fixture.channel.ofType('user_speak')[0]?.previewed, undefined)
})

test('discards a late answer to a revoked preview', async (t) => {
  const fixture = await opened(t, 1000)
  fixture.conversation.callerPauses('I want')
  await fixture.seconds(0.2)
  fixture.conversation.callerGoesOn()
  fixture.conversation.callerPauses('I want a table')
  await fixture.seconds(3)
  assert.deepEqual(fixture.conversation.log, ['drop', 'prepare answer to I want a table'])
  fixture.conversation.callerSays('I want a table')
  await fixture.seconds(0.1)
  assert.equal(fixture.conversation.log.at(-1), 'say answer to I want a table')
  assert.deepEqual(notifications(fixture).slice(0, 4), [
    'user_speak_preview',
    'user_speak_revoked',
    'user_speak_preview',
    'action_discarded',
  ])
})

test('delays a turn for the pending answer to its preview and sends it once', async (t) => {
  const fixture = await opened(t, 800)
  fixture.conversation.callerPauses('hello')
  await fixture.seconds(0.3)
  fixture.conversation.callerSays('hello')
  await fixture.seconds(0.3)
  assert.deepEqual([fixture.conversation.log, notifications(fixture)], [[], ['user_speak_preview']])
  await fixture.seconds(0.3)
  assert.deepEqual(fixture.conversation.log, ['say answer to hello'])
  assert.equal(fixture.channel.ofType('user_speak')[0]?.previewed, true)
})

test('delays events until the previewed turn is sent', async (t) => {
  const { fixture, caller } = await openSession(t, { settings: { extendedEvents: ['user_speak_preview', 'dtmf_received'] } })
  fixture.endpoints.reply = thinking(() => fixture, 800)
  fixture.conversation.callerPauses('hello')
  await fixture.seconds(0.3)
  fixture.conversation.callerSays('hello')
  caller.presses('5')
  await fixture.seconds(1)
  assert.deepEqual(
    fixture.channel.sent.slice(1, 4).map(({ turn, body }) => [turn, body.type]),
    [
      [0, 'user_speak_preview'],
      [1, 'user_speak'],
      [1, 'dtmf_received'],
    ],
  )
  assert.equal(fixture.channel.ofType('user_speak')[0]?.previewed, true)
})

test('sends the turn as usual if the preview gets no answer in time', async (t) => {
  const silent = await opened(t, 100, () => [])
  silent.conversation.callerPauses('hello')
  await silent.seconds(0.2)
  silent.conversation.callerSays('hello')
  await silent.seconds(0.1)
  assert.deepEqual(silent.conversation.log, ['say later: hello'])
  assert.equal(silent.channel.ofType('user_speak')[0]?.previewed, undefined)
  const slow = await opened(t, 6000)
  slow.conversation.callerPauses('hello')
  await slow.seconds(0.2)
  slow.conversation.callerSays('hello')
  await slow.seconds(2.2)
  assert.deepEqual(slow.conversation.log, ['say later: hello'])
  await slow.seconds(10)
  assert.deepEqual(slow.conversation.log, ['say later: hello'])
})

test('delays all effects until the end of the turn', async (t) => {
  const fixture = await opened(t, 100, () => [{ type: 'speak', text: 'Goodbye' }, { type: 'hangup' }])
  fixture.conversation.callerPauses('bye')
  await fixture.seconds(1)
  assert.deepEqual(fixture.conversation.log, ['prepare Goodbye'])
  assert.equal(fixture.conversation.closed, false)
  fixture.conversation.callerSays('bye')
  await fixture.seconds(2)
  assert.deepEqual(fixture.conversation.log.slice(0, 2), ['prepare Goodbye', 'say Goodbye'])
  assert.equal(fixture.conversation.closed, true)
})

test('revokes the preview of a turn without words', async (t) => {
  const fixture = await opened(t, 100)
  fixture.conversation.callerPauses('hmm')
  await fixture.seconds(0.2)
  fixture.conversation.coughs()
  fixture.conversation.callerGoesOn()
  await fixture.seconds(1)
  assert.deepEqual(fixture.conversation.log, ['prepare answer to hmm', 'drop'])
  assert.deepEqual(notifications(fixture), ['user_speak_preview', 'user_speak_revoked', 'action_discarded'])
})

test('sends no preview to flows that do not name the event', async (t) => {
  const { fixture } = await openSession(t, { settings: { extendedEvents: ['action_discarded'] } })
  fixture.conversation.callerPauses('hello')
  await fixture.seconds(0.1)
  fixture.conversation.callerSays('hello')
  await fixture.seconds(0.1)
  assert.deepEqual(notifications(fixture), ['user_speak'])
  assert.equal(fixture.channel.ofType('user_speak')[0]?.previewed, undefined)
})

test('WebSocket: holds actions with a preview token, performs them on confirmation, and discards revoked ones', async (t) => {
  const { fixture } = await openSession(t, { settings })
  fixture.endpoints.duplex = true
  const token = (): string => fixture.channel.ofType('user_speak_preview').at(-1)?.turn_token ?? ''
  fixture.conversation.callerPauses('one')
  await fixture.rest()
  fixture.channel.acts({ type: 'speak', text: 'first', turn_token: token() }, { type: 'speak', text: 'untied' })
  await fixture.rest()
  assert.deepEqual(fixture.conversation.log, ['prepare first', 'say untied'])
  const wrong = token()
  fixture.conversation.callerGoesOn()
  fixture.conversation.callerPauses('one two')
  await fixture.rest()
  fixture.channel.acts({ type: 'speak', text: 'too late', turn_token: wrong }, { type: 'speak', text: 'second', turn_token: token() })
  fixture.channel.acts({ type: 'speak', text: 'whose', turn_token: 'unknown' })
  fixture.conversation.callerSays('one two', { breaksIn: false })
  fixture.channel.acts({ type: 'speak', text: 'more', turn_token: token() })
  await fixture.rest()
  assert.deepEqual(fixture.conversation.log.slice(2), ['drop', 'prepare second', 'say second', 'say more'])
  assert.equal(fixture.channel.ofType('user_speak')[0]?.previewed, true)
  assert.equal(fixture.channel.ofType('action_discarded').length, 3)
})
