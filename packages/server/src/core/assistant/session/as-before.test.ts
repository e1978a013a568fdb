import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { settingsFromElement, type FlowInput } from '#core/account/flows/flow-element.ts'
import { ConversationFixture, nothingLeft } from '#test/session/conversation-fixture.ts'
import type { Input } from '#test/session/scripted-endpoint.ts'
import { openSession } from '#test/session/session-fixture.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../../../../docs/guides/assistants.md'), 'utf8')
const [, written = ''] = /## As it was before\n.*?```json\n(.*?)```/s.exec(guide) ?? []

/** A flow with the guide's settings for the previous behaviour. */
const settings = settingsFromElement({ language: 'en-GB', ...(JSON.parse(written) as Omit<FlowInput, 'name'>) })

const statement = 'This is a rather long sentence which takes its time. And here is another one that is long as well.'

test('turns: uses the configured silence by words alone and ignores a turn detector', async () => {
  const never = { name: 'never over', judge: () => ({ probability: 0, parts: {} }) }
  const fixture = new ConversationFixture({ settings, turnDetector: never })
  const silences: (number | undefined)[] = []
  for (const words of ['yes', 'I would like a table for the evening.', 'my name is']) {
    await fixture.caller.speaks(words, 800)
    await fixture.caller.silent(2500)
    silences.push(fixture.all('said').at(-1)?.end?.silenceMs)
  }
  assert.deepEqual(silences, [300, 500, 1000])
  const asOthers = new ConversationFixture({ turnDetector: never })
  await asOthers.caller.speaks('I would like a table for the evening.', 800)
  await asOthers.caller.silent(2500)
  assert.equal(asOthers.all('said').at(-1)?.end?.silenceMs, 1900, 'without these settings it is asked')
  assert.deepEqual(await fixture.close(), nothingLeft)
  assert.deepEqual(await asOthers.close(), nothingLeft)
})

test('interruptions: stops the assistant at three letters, even for a back-channel, without ducking', async () => {
  const fixture = new ConversationFixture({ settings })
  fixture.say(statement)
  await fixture.caller.silent(1000)
  await fixture.caller.speaks('okay')
  await fixture.caller.silent(1000)
  assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'quiet', 'said okay (barged in)'])
  assert.deepEqual(fixture.all('ducked'), [])
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('silence: says no filler while the endpoint works, the caller is silent, or speech is unclear', async (t) => {
  const { fixture } = await openSession(t, { settings })
  const { conversation, channel, endpoints, exchange } = fixture
  const late: Input[] = [{ type: 'speak', text: 'It is ready.' }]
  endpoints.reply = ({ body }) =>
    body.type === 'user_speak' ? new Promise((resolve) => exchange.clock.after(6_000, () => resolve(late))) : []
  conversation.callerSays('A table')
  await fixture.seconds(8)
  assert.deepEqual(conversation.log, ['say It is ready.'])
  endpoints.reply = () => []
  conversation.coughs(900)
  await fixture.seconds(100)
  assert.deepEqual(conversation.log, ['say It is ready.'])
  conversation.callerSays('Fuller', { confidence: 0.3 })
  await fixture.rest()
  assert.deepEqual(Object.keys(channel.ofType('user_speak').at(-1) ?? {}), ['type', 'session', 'text', 'barged_in'])
  assert.deepEqual([...new Set(channel.types)], ['session_start', 'user_speak', 'assistant_speak'])
})
