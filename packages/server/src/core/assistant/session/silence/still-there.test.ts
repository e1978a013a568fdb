import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Input } from '#test/session/scripted-endpoint.ts'
import { openSession } from '#test/session/session-fixture.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

const ask = 'say Are you still there?'
const english = { language: 'en-GB' } as const

const asked = async (t: Parameters<typeof openSession>[0], settings: FlowSettings, input: Partial<Input> = {}) => {
  const question = { type: 'speak', text: 'Well?', ...input } as Input
  const { fixture, caller } = await openSession(t, { settings, reply: ({ body }) => (body.type === 'session_start' ? [question] : []) })
  return { fixture, caller, times: () => fixture.conversation.log.filter((line) => line === ask).length }
}

test('asks after 30 s of silence and then every minute without an input timeout, and still ends the call', async (t) => {
  const { fixture, caller, times } = await asked(t, english)
  await fixture.seconds(29)
  assert.equal(times(), 0)
  await fixture.seconds(3)
  assert.equal(times(), 1)
  await fixture.seconds(58)
  assert.equal(times(), 1)
  await fixture.seconds(6)
  assert.equal(times(), 2)
  fixture.conversation.callerSays('Yes')
  await fixture.seconds(32)
  assert.equal(times(), 3, 'the endpoint had nothing to say to that')
  await fixture.seconds(270)
  assert.ok(caller.over)
})

test('does not ask if a timeout is set or disabled, fillers are off, or background audio plays', async (t) => {
  const ways: [FlowSettings, Partial<Input>][] = [
    [{ ...english, timeouts: { userInputSeconds: 0 } }, {}],
    [english, { user_input_timeout_seconds: 0 }],
    [{ ...english, fillers: { off: true } }, {}],
  ]
  for (const [settings, input] of ways) {
    const { fixture, times } = await asked(t, settings, input)
    await fixture.seconds(200)
    assert.equal(times(), 0)
  }
  const music = await openSession(t, { settings: english, duplex: true })
  music.fixture.channel.acts({ type: 'speak', text: 'Listen' }, { type: 'mix_audio', audio: 'UklGRg==' })
  await music.fixture.seconds(200)
  assert.deepEqual(music.fixture.conversation.log, ['say Listen', 'background on'])
})

test('does not ask while the caller speaks', async (t) => {
  const { fixture, times } = await asked(t, english)
  await fixture.seconds(20)
  fixture.conversation.callerBegins()
  await fixture.seconds(20)
  assert.equal(times(), 0)
})
