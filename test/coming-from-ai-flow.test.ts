import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSession } from '#test/session/session-fixture.ts'
import { settingsFromElement, type FlowInput } from '#core/account/flows/flow-element.ts'
import { bargeInRule, hasEnoughCharacters } from '@offhook/contract/assistant/barge-in.ts'

const guide = readFileSync(join(import.meta.dirname, '../docs/guides/coming-from-ai-flow.md'), 'utf8')

/** Flow of the guide for programs written for AI Flow. */
const { name: _name, apiKey: _apiKey, ...input } = JSON.parse(/-d '(\{.*?\})'/s.exec(guide)?.[1] ?? '') as FlowInput
const asBefore = settingsFromElement(input)

test('sends a program the expected events with the settings of the guide', async (t) => {
  const { fixture, caller } = await openSession(t, { settings: asBefore })
  const { conversation, channel } = fixture
  caller.presses('5')
  await fixture.seconds(0.1)
  assert.equal(channel.ofType('dtmf_received')[0]?.digit, '5')

  conversation.coughs(900)
  await fixture.seconds(5)
  assert.deepEqual(conversation.log, [], 'nobody is asked what was said')
  fixture.endpoints.reply = ({ body }) => (body.type === 'user_speak' ? new Promise(() => {}) : [])
  conversation.callerSays('A table')
  await fixture.seconds(60)
  conversation.coughs(900)
  await fixture.seconds(60)
  assert.deepEqual(conversation.log, [], 'nobody says anything that the program did not say')
  assert.deepEqual(Object.keys(channel.ofType('session_start')[0]?.session ?? {}).toSorted(), [
    'account_id',
    'direction',
    'from_phone_number',
    'id',
    'phone_number',
    'to_phone_number',
  ])
})

test('keeps the old turn end and barge-in with the settings of the guide; uses likelihood and words by default', () => {
  assert.equal(input.turn_taking, 'classic')
  const rule = bargeInRule(undefined, input.barge_in)
  assert.deepEqual([hasEnoughCharacters(rule, 'Mh'), hasEnoughCharacters(rule, 'Mhm')], [false, true])
  assert.equal(bargeInRule(undefined, undefined).strategy, 'words')
  assert.equal(bargeInRule({}, undefined).strategy, 'minimum_characters')
})
