import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faults, type Fault } from '#test/model/script.ts'
import { agentScene, modelSettings } from './testing/agent-scene.ts'

const firstTokenMs = 1_500
const model = { ...modelSettings, first_token_ms: firstTokenMs, total_ms: 3_000 }
const apology = /^Sorry, that did not work\./

/** Expected speech for each fault. */
const learnedOf: Record<Fault, RegExp> = {
  429: /^Here/,
  500: /^Here/,
  connection: /^Here/,
  redirect: apology,
  stall: apology,
  'stall-later': /^Here is.* Sorry/,
  cut: /^Here is.* Sorry/,
  'bad-json': apology,
  'no-finish': /^Here is what you want to know\. Sorry/,
  empty: apology,
  huge: /^word word/,
  'bad-tool-json': /^Here is what you want to know\. So that is done\.$/,
  'unknown-tool': /^Here is what you want to know\. So that is done\.$/,
  markup: /^Answer\. Here is what you want to know\. x see here/,
}

for (const fault of faults)
  test(`speaks in time and continues the call when the model fails (${fault}) in any turn`, async () => {
    for (const failing of [1, 2, 3]) {
      const good = { when: 'question', say: 'Here is what you want to know.' }
      const bad = { ...good, when: `question ${failing}`, fault, times: 1 }
      const { call } = agentScene({ assistant: { model }, script: [{ when: '^tool:', say: 'So that is done.' }, bad, good] })
      await call.start()
      await call.listen()
      for (const number of [1, 2, 3]) {
        await call.say(`question ${number}`)
        await call.answered()
        assert.ok((call.record.firstWordsMs ?? Infinity) <= firstTokenMs + 300, `${call.record.firstWordsMs} ms`)
        const heard = call.written.join(' ')
        assert.match(heard, number === failing ? learnedOf[fault] : /^Here is what you want to know\.$/)
        assert.ok(call.frames.some(({ type, turn }) => type === 'done' && turn === number))
        await call.listen()
      }
      assert.deepEqual([call.actions('hangup').length, call.actions('transfer').length, call.ended], [0, 0, undefined])
    }
  })

test('retries a busy server once after its Retry-After, if time is left', async () => {
  const {
    call,
    model: server,
    clock,
  } = agentScene({
    assistant: { model: { ...model, first_token_ms: 4_000 } },
    script: [{ fault: '429', times: 1 }, { say: 'Now.' }],
  })
  await call.start()
  await call.say('Hello?')
  await clock.advance(999)
  assert.equal(server.requests.length, 1)
  await clock.advance(1)
  await call.answered()
  assert.deepEqual(call.written.at(-1), 'Now.')
  assert.deepEqual(
    call.notes('model').map(({ attempt, error }) => [attempt, error]),
    [
      [1, 'the server answered 429'],
      [2, undefined],
    ],
  )
})

test('switches to the second model when the first fails or does not begin', async () => {
  for (const fault of ['stall', '500', 'empty', 'bad-json'] as const) {
    const second = { url: 'http://model.test/other/v1', name: 'second' }
    const { call, model: server } = agentScene({
      assistant: { model: { ...model, name: `fault-${fault}`, second } },
      script: [{ say: 'The second speaks.' }],
    })
    await call.start()
    await call.say('Hello?')
    await call.answered()
    assert.equal(call.written.at(-1), 'The second speaks.')
    assert.equal(server.last?.path, '/other/v1/chat/completions')
    assert.equal(server.last?.headers['authorization'], undefined)
    assert.equal(call.notes('model').at(-1)?.['model'], 'second')
  }
})

test('gives up on a model that stops mid-answer before the total time limit', async () => {
  const patient = { ...modelSettings, first_token_ms: 1_000, total_ms: 60_000 }
  const { call } = agentScene({ assistant: { model: patient }, script: [{ say: 'One two three four five.', fault: 'stall-later' }] })
  await call.start()
  await call.say('Count')
  await call.answered(1_100)
  assert.match(call.written.at(-1) ?? '', apology)
  assert.equal(call.notes('model')[0]?.['error'], 'no further word within 1000 ms')
})

test('asks no other model after the first words were spoken', async () => {
  const second = { url: 'http://model.test/other/v1', name: 'second' }
  const { call, model: server } = agentScene({
    assistant: { model: { ...model, name: 'fault-cut', second } },
    script: [{ say: 'One two three four five six.' }],
  })
  await call.start()
  await call.say('Hello?')
  await call.answered()
  assert.match(call.written.at(-1) ?? '', apology)
  assert.equal(server.requests.length, 1)
})

test('announces the key menu after repeated failures', async () => {
  const keys = [{ digit: '1', does: 'transfer' as const, transfer_to: 'sales' }]
  const { call } = agentScene({ assistant: { model: { ...model, name: 'fault-redirect' }, keys, failed_text: 'One moment.' } })
  await call.start()
  await call.say('Hello?')
  await call.answered()
  assert.deepEqual(call.written, ['One moment.'])
  await call.say('Hello?')
  await call.answered()
  assert.deepEqual(call.written, ['One moment. For sales, press 1.'])
})

test('keeps every note within its size limit', async () => {
  const { call } = agentScene({ assistant: { model: { ...model, name: 'fault-huge' }, prompt: 'äöü"\\\n'.repeat(5_000) } })
  await call.start()
  await call.say('x'.repeat(9_000))
  await call.answered()
  const sizes = call.actions('note').map(({ data }) => Buffer.byteLength(JSON.stringify(data)))
  assert.ok(Math.max(...sizes) <= 16 * 1024, sizes.join())
  assert.ok(Math.max(...sizes) > 4_000)
})
