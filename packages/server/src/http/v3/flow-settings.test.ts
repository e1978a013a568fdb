import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extendedEvents, usualExtendedEvents } from '@offhook/contract/assistant/events.ts'
import { verifyWebhook, signWebhook } from '#core/kernel/webhook/standard-webhooks.ts'
import { disableFlow } from '#core/account/flows/change-flow.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const everything = {
  name: 'Reception',
  endpoint: 'assistant' as const,
  webhookUrl: 'https://example.com/hook',
  websocketUrl: 'wss://example.com/socket',
  fallbackUrl: 'http://example.org/spare',
  language: 'de-DE',
  tts: { provider: 'azure', language: 'de-DE', voice: { name: 'Katja' } },
  stt: { provider: 'DEEPGRAM', languages: ['de-DE', 'en'], custom_vocabulary: ['Offhook'] },
  pronunciations: [
    { word: 'Siegl', say: 'Seegle' },
    { word: 'Nguyễn', say: '/wɪn/', language: 'en' },
  ],
  barge_in: { strategy: 'minimum_characters' as const, minimum_characters: 5, allow_after_ms: 500 },
  vad: { end_of_turn_silence_ms: 700 },
  timeouts: { attempt_ms: 3000, total_ms: 9000, user_input_seconds: 8, silence_seconds: 60, max_call_seconds: 600 },
  fallback: { text: 'One moment.', transfer_to: '+4921163554444' },
  retry_text: 'Still looking.',
  extended_events: ['dtmf_received' as const],
  transfer_targets: ['+4921163554444', '+4930*'],
  recording: true,
  answering_machine_detection: 'field' as const,
  answer_after_seconds: 3,
}

/** The stored flow with decrypted secrets. */
const keptFlow = async ({ running }: World, { accountId }: Person, id: string) => {
  const { store, vault } = running.deps
  const { settings } = (await store.read.flows.find(accountId, id)) ?? assert.fail()
  return {
    settings,
    key: settings.apiKey && vault.open(settings.apiKey),
    secrets: settings.secrets?.map(({ sealed }) => vault.open(sealed)),
  }
}

const flowsOf = async ({ running }: World, accountId: string) => {
  const { flows } = running.deps.store.read
  return flows.list(
    accountId,
    (await flows.names(accountId)).map(({ id }) => id),
  )
}

for (const database of databases) {
  test(`${database}: stores every setting of a flow, and unsets omitted ones`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { secret: _secret, speech: _speech, ...flow } = await ada.api.createFlow({}, { ...everything, apiKey: 'k3y' })
    assert.deepEqual(flow, { id: flow.id, ...everything, apiKeySet: true, version: 1 })
    const aiFlowId = flow.id
    const { speech, ...read } = await ada.api.getFlow({ aiFlowId })
    assert.deepEqual(read, flow)
    assert.equal((await keptFlow(world, ada, aiFlowId)).key, 'k3y')

    await ada.api.changeFlow({ aiFlowId }, { name: 'Bare', extended_events: true })
    const bare = { id: aiFlowId, name: 'Bare', extended_events: true, apiKeySet: true, version: 2 }
    assert.deepEqual(await ada.api.getFlow({ aiFlowId }), { ...bare, speech: (await ada.api.getFlow({ aiFlowId })).speech })
    assert.equal((await keptFlow(world, ada, aiFlowId)).key, 'k3y', 'a key that is left out stays')
    assert.equal(speech.speaks.language, 'de-DE')
    await ada.api.changeFlow({ aiFlowId }, { name: 'Bare', apiKey: 'other' })
    assert.equal((await keptFlow(world, ada, aiFlowId)).key, 'other')
    await ada.api.changeFlow({ aiFlowId }, { name: 'Bare', apiKey: null, extended_events: false })
    const { apiKeySet, extended_events } = await ada.api.getFlow({ aiFlowId })
    assert.deepEqual([apiKeySet, extended_events], [false, undefined])
    // `true` keeps the meaning it had when the flow was saved; explicit names are kept as well.
    for (const events of [usualExtendedEvents.slice(0, 8), [...usualExtendedEvents, 'user_speak_partial' as const], [...extendedEvents]]) {
      await ada.api.changeFlow({ aiFlowId }, { name: 'Bare', extended_events: events })
      assert.deepEqual((await ada.api.getFlow({ aiFlowId })).extended_events, events)
    }
    await ada.api.changeFlow({ aiFlowId }, { name: 'Bare', extended_events: usualExtendedEvents.toReversed() })
    assert.equal((await ada.api.getFlow({ aiFlowId })).extended_events, true)
    const everyRow = JSON.stringify(await flowsOf(world, ada.accountId))
    assert.ok(!everyRow.includes('k3y') && !everyRow.includes('whsec_'), 'no secret is readable in the database')
  })

  test(`${database}: shows secrets once; a new one signs immediately, the older one for another day`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { id: aiFlowId, secret: first } = await ada.api.createFlow({}, { name: 'Reception' })
    await world.clock.advance(5000)
    const second = await ada.api.createFlowSecret({ aiFlowId })
    assert.deepEqual((await keptFlow(world, ada, aiFlowId)).secrets, [second.secret, first])
    const signed = { id: 'a', timestampSeconds: 1, body: '{}' }
    assert.ok(verifyWebhook(signWebhook({ ...signed, secrets: [second.secret] }), '{}', [second.secret], 1), 'it is fit for signing')
    const { items } = await ada.api.listFlowSecrets({ aiFlowId })
    assert.deepEqual(items[0], { id: second.id, createdAt: second.createdAt })
    const until = new Date(world.clock.now() + 86_400_000).toISOString()
    assert.equal(items[1]?.expiresAt, until)
    assert.ok(!JSON.stringify(items).includes('whsec_'))

    await world.clock.advance(86_399_000)
    const third = await ada.api.createFlowSecret({ aiFlowId })
    assert.equal((await ada.api.listFlowSecrets({ aiFlowId })).items.at(-1)?.expiresAt, until, 'a rotation does not prolong it')
    await world.clock.advance(1000)
    const left = async () => (await ada.api.listFlowSecrets({ aiFlowId })).items.map(({ id }) => id)
    assert.deepEqual(await left(), [third.id, second.id])
    await ada.api.changeFlow({ aiFlowId }, { name: 'Other' })
    assert.deepEqual(await left(), [third.id, second.id], 'a change keeps them')
    await ada.api.deleteFlowSecret({ aiFlowId, secretId: second.id })
    await assert.rejects(ada.api.deleteFlowSecret({ aiFlowId, secretId: second.id }), withCode('secret_not_found'))
    await Promise.all(Array.from({ length: 7 }, () => ada.api.createFlowSecret({ aiFlowId })))
    assert.equal((await left()).length, 5, 'rotations at the same time lose nothing and do not pile up')
    const eve = await world.newAccount()
    await assert.rejects(eve.api.createFlowSecret({ aiFlowId }), { status: 404 })
    const bob = await world.newUser(ada.accountId)
    await assert.rejects(bob.api.listFlowSecrets({ aiFlowId }), { status: 403 })
    const actions = (await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })).map(({ action }) => action)
    assert.deepEqual(
      ['flow.create', 'flow.change', 'flow.secret.create', 'flow.secret.delete'].filter((action) => !actions.includes(action)),
      [],
    )
  })
}

test('rejects impossible settings and names the field', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bad: [object, string][] = [
    [{ webhookUrl: 'wss://example.com' }, 'webhookUrl'],
    [{ webhookUrl: 'https://me:secret@example.com' }, 'webhookUrl'],
    [{ websocketUrl: 'https://example.com' }, 'websocketUrl'],
    [{ websocketUrl: 'wss://me@example.com' }, 'websocketUrl'],
    [{ fallbackUrl: 'example.com' }, 'fallbackUrl'],
    [{ protocol: 'retell', webhookUrl: 'https://example.com' }, 'websocketUrl'],
    [{ protocol: 'twilio', websocketUrl: 'wss://example.com' }, 'webhookUrl'],
    [{ protocol: 'vapi', webhookUrl: 'https://example.com', websocketUrl: 'wss://example.com' }, 'websocketUrl'],
    [{ protocol: 'twilio', webhookUrl: 'https://example.com', fallbackUrl: 'https://example.org' }, 'fallbackUrl'],
    [{ protocol: 'klingon', websocketUrl: 'wss://example.com' }, 'protocol'],
    [{ apiKey: 'two\r\nlines' }, 'apiKey'],
    [{ apiKey: '' }, 'apiKey'],
    [{ language: 'german' }, 'language'],
    [{ language: 'de_DE' }, 'language'],
    [{ tts: { language: 'x' } }, 'tts/language'],
    [{ tts: { provider: 'azure', pitch: 1 } }, 'tts/pitch'],
    [{ stt: { languages: ['de', '!'] } }, 'stt/languages/1'],
    [{ stt: { languages: [] } }, 'stt/languages'],
    [{ barge_in: { strategy: 'polite' } }, 'barge_in/strategy'],
    [{ vad: { end_of_turn_silence_ms: 10 } }, 'vad/end_of_turn_silence_ms'],
    [{ timeouts: { attempt_ms: 60_001 } }, 'timeouts/attempt_ms'],
    [{ timeouts: { total_ms: 999 } }, 'timeouts/total_ms'],
    [{ extended_events: ['session_start'] }, 'extended_events'],
    [{ transfer_targets: ['*'] }, 'transfer_targets/0'],
    [{ transfer_targets: ['+49211*', '112'] }, 'transfer_targets/1'],
    [{ transfer_targets: ['+49 112'] }, 'transfer_targets/0'],
    [{ transfer_targets: ['0900 1234567'] }, 'transfer_targets/0'],
    [{ transfer_targets: ['p77'] }, 'transfer_targets/0'],
    [{ transfer_targets: ['w0'] }, 'transfer_targets/0'],
    [{ transfer_targets: ['nobody'] }, 'transfer_targets/0'],
    [{ fallback: { transfer_to: '+4930*' } }, 'fallback/transfer_to'],
    [{ answering_machine_detection: 'maybe' }, 'answering_machine_detection'],
    [{ answer_after_seconds: 61 }, 'answer_after_seconds'],
  ]
  for (const [input, field] of bad)
    await assert.rejects(ada.api.createFlow({}, { name: 'x', ...input }), withCode('parameter_invalid', field), JSON.stringify(input))
  assert.deepEqual((await ada.api.listFlows()).items, [])
})

test('normalizes numbers and languages; a change re-enables a disabled flow', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const transfer_targets = ['4921163554444', '0049 211 63554444', '0211/63554444', '004930*', '49*', 'p0']
  const { id: aiFlowId, ...flow } = await ada.api.createFlow({}, { name: 'x', transfer_targets, language: 'DE-at' })
  const same = '+4921163554444'
  assert.deepEqual(flow.transfer_targets, [same, same, same, '+4930*', '+49*', 'p0'])
  assert.equal(flow.language, 'de-AT')
  await world.write((tables) => disableFlow(tables, world.clock, ada.accountId, aiFlowId, 'The endpoint answered 410.'))
  assert.equal((await ada.api.getFlow({ aiFlowId })).disabledBecause, 'The endpoint answered 410.')
  await ada.api.changeFlow({ aiFlowId }, { name: 'x' })
  assert.equal((await ada.api.getFlow({ aiFlowId })).disabledBecause, undefined)
})

test('preloads the speech models of a new or changed flow', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const prepared: string[] = []
  world.running.deps.speech.prepare = async (languages) => void prepared.push(languages.join())
  const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'x', language: 'fr' })
  await ada.api.changeFlow({ aiFlowId }, { name: 'x', tts: { language: 'en-GB' }, stt: { languages: ['de', 'it'] } })
  await ada.api.changeFlow({ aiFlowId }, { name: 'x' })
  await assert.rejects(ada.api.changeFlow({ aiFlowId }, { name: 'x', language: '?' }), { status: 400 })
  assert.deepEqual(prepared, ['fr,fr', 'en-GB,de,it', 'en-US,en-US'])
})
