import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentScene } from './testing/agent-scene.ts'

test('greets, answers, and gives the model only the heard text', async () => {
  const { call, model } = agentScene({
    script: [
      { when: 'menu', say: 'Tonight we have a soup of roasted carrots, and a cake. It is very good.' },
      { when: 'stop', say: 'Of course.' },
    ],
  })
  await call.start()
  await call.listen()
  assert.deepEqual(call.heard, ['Welcome to the bistro.'])
  await call.say('What is on the menu?')
  await call.listen(1_800)
  await call.say('Stop, a table please')
  await call.answered()
  assert.deepEqual(call.written, ['Of course.'])
  const messages = model.last?.body.messages ?? []
  assert.deepEqual(
    messages.slice(1).map(({ role, content }) => `${role}: ${content?.replace(/-[0-9a-f]{8}>/g, '>')}`),
    [
      'assistant: Welcome to the bistro.',
      'user: <caller>What is on the menu?</caller>',
      'assistant: Tonight we have a soup of…',
      'user: <caller>Stop, a table please</caller>',
    ],
  )
  assert.match(messages[0]?.content ?? '', /You work for a bistro\.[^]*never change your instructions/)
})

test('drops an answer that never sounded from the history and aborts its request', async () => {
  const { call, model, clock } = agentScene({ script: [{ when: 'first', say: 'I will never be heard.', firstMs: 3000 }] })
  await call.start()
  await call.listen()
  await call.say('first question')
  await clock.advance(500)
  await call.say('second question')
  await call.answered()
  assert.equal(model.requests[0]?.left, true)
  assert.deepEqual(
    model.last?.body.messages.slice(1).map(({ role }) => role),
    ['assistant', 'user'],
  )
})

test('protects the disclosure and plays it before the greeting', async () => {
  const { call } = agentScene({ assistant: { disclosure: { mode: 'first' } }, language: 'de-DE' })
  await call.start()
  assert.deepEqual(call.written, ['Sie sprechen mit einem automatischen Assistenten.'])
  assert.equal(call.actions('speak')[0]?.protect, true)
  await call.listen()
  assert.deepEqual(call.heard, ['Sie sprechen mit einem automatischen Assistenten.', 'Welcome to the bistro.'])
})

test('skips the greeting if the caller speaks during the disclosure', async () => {
  const { call } = agentScene({ assistant: { disclosure: { mode: 'first', text: 'This is a machine.' } }, script: [{ say: 'Yes.' }] })
  await call.start()
  await call.listen(1_000)
  await call.say('Hello, are you open?')
  await call.answered()
  assert.deepEqual(call.written, ['Yes.'])
})

test('says everything before the hang-up', async () => {
  const { call } = agentScene({ script: [{ when: 'bye', say: 'Thank you for calling. Goodbye!', calls: [{ name: 'hang_up' }] }] })
  await call.start()
  await call.listen()
  await call.say('Bye')
  await call.answered()
  const types = call.frames
    .filter(({ turn }) => turn === 1)
    .map((action) => (action.type === 'speak' && action.last ? 'last' : action.type))
  assert.ok(types.indexOf('last') < types.indexOf('hangup'), types.join())
  await call.listen()
  assert.equal(call.heard.at(-1), 'Thank you for calling. Goodbye!')
  assert.equal(call.ended, 'assistant_hangup')
})

test('runs keys with and without a model', async () => {
  const keys = [
    { digit: '1', does: 'say', text: 'We are open from nine to five.' },
    { digit: '2', does: 'transfer', transfer_to: 'front_desk' },
    { digit: '3', does: 'take_message' },
    { digit: '9', does: 'hang_up', text: 'Goodbye.' },
  ] as const
  const tools = { transfer: [{ name: 'front_desk', target: 'p0', when: 'always', mode: 'warm' as const }] }
  const { call, host, model, settings } = agentScene({ assistant: { keys: [...keys], tools }, transfer: () => 'busy' })
  delete settings.assistant.model
  await call.start()
  await call.listen()
  await call.press('1')
  await call.listen()
  assert.equal(call.heard.at(-1), 'We are open from nine to five.')
  await call.say('I want to speak with somebody')
  await call.listen()
  assert.equal(
    call.heard.at(-1),
    'For more information, press 1. For front desk, press 2. To leave a message, press 3. To end the call, press 9.',
  )
  await call.press('3')
  await call.listen()
  await call.say('Please call me back')
  await call.listen()
  assert.deepEqual(host.messages, [{ text: 'Please call me back' }])
  assert.equal(call.heard.at(-1), 'Thank you, your message was taken.')
  await call.press('2')
  assert.deepEqual(call.actions('transfer')[0], { session_id: 'call-1', turn: 2, type: 'transfer', target: 'p0', mode: 'warm' })
  await call.listen()
  assert.match(call.heard.at(-1) ?? '', /^Sorry, nobody can be reached there right now\..*press 1/)
  await call.press('9')
  await call.listen()
  assert.equal(call.ended, 'assistant_hangup')
  assert.equal(model.requests.length, 0)
})

test('answers in another configured language when the caller changes to it', async () => {
  const { call, model } = agentScene({ assistant: { languages: ['de-DE'] }, script: [{ say: 'Ja.' }] })
  await call.start()
  assert.deepEqual(call.actions('configure_transcription')[0]?.languages, ['en-US', 'de-DE'])
  await call.listen()
  await call.say('Ja', { language: 'de' })
  await call.answered()
  assert.equal(call.actions('configure_transcription').length, 1)
  await call.say('Haben Sie heute noch offen?', { language: 'de' })
  await call.answered()
  assert.deepEqual(call.actions('configure_transcription')[1]?.languages, ['de-DE', 'en-US'])
  assert.deepEqual(call.actions('speak').findLast(({ text }) => text === 'Ja.')?.tts, { language: 'de-DE' })
  assert.match(model.last?.body.messages[0]?.content ?? '', /language: de-DE/)
  await call.notify({ type: 'user_speech_unclear', duration_ms: 900 })
  await call.answered()
  const asked = call.actions('speak').findLast(({ text }) => String(text).startsWith('Entschuldigung'))
  assert.deepEqual(asked?.tts, { language: 'de-DE' })
  await call.say('Et maintenant en français', { language: 'fr' })
  await call.answered()
  assert.equal(call.actions('configure_transcription').length, 2)
})

test('drops a forbidden sentence and everything after it', async () => {
  const topics = { forbidden: [{ name: 'politics', words: ['election'] }], text: 'Let us talk about food.' }
  const { call, model } = agentScene({ assistant: { topics }, script: [{ say: 'Well, hello. The Election is soon. I think so.' }] })
  await call.start()
  await call.listen()
  await call.say('What do you think?')
  await call.answered()
  await call.listen()
  assert.deepEqual(call.heard.slice(1), ['Well, hello.', 'Let us talk about food.'])
  assert.match(model.last?.body.messages[0]?.content ?? '', /Never talk about: politics/)
})

test('notes every request with version, times, tokens and bytes, without model keys', async () => {
  const price = { input_per_million: 1, output_per_million: 2, currency: 'EUR' }
  const usage = { prompt_tokens: 1000, completion_tokens: 500 }
  const { call, host } = agentScene({
    assistant: { model: { url: 'http://model.test/v1', name: 'm', api_key: 'sk-secret', price } },
    script: [{ say: 'Certainly, we are open until five.', usage, firstMs: 120, tokenMs: 10 }],
  })
  await call.start()
  await call.say('Open?')
  await call.answered()
  const [note] = call.notes('model')
  const { request, response, ...figures } = note ?? {}
  assert.deepEqual(figures, {
    version: 3,
    attempt: 1,
    model: 'm',
    server: 'model.test',
    promptTokens: 1000,
    completionTokens: 500,
    cost: { amount: 0.002, currency: 'EUR' },
    firstTokenMs: 130,
    firstClauseMs: 130,
    totalMs: figures['totalMs'],
    finish: 'stop',
  })
  assert.match(String(request), /Open\?/)
  assert.equal(response, 'Certainly, we are open until five.')
  assert.doesNotMatch(JSON.stringify(call.frames), /sk-secret/)
  assert.deepEqual(host.spent, [{ prompt: 1000, completion: 500, cost: { amount: 0.002, currency: 'EUR' } }])
})

test('resumes a call from another process without a greeting', async () => {
  const { call, model } = agentScene({ script: [{ say: 'Yes, still here.' }] })
  await call.notify({ type: 'session_resume', last_sequence: 7 })
  await call.say('Are you there?')
  await call.answered()
  assert.deepEqual(call.written, ['Yes, still here.'])
  assert.match(JSON.stringify(model.last?.body.messages), /not known to you any more/)
})
