import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { assistant, type AssistantOptions, type Handlers } from './index.ts'

const session = { id: 's1', account_id: '1234567', phone_number: '493023125000' }
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const running = async (t: TestContext, handlers: Handlers, options?: AssistantOptions): Promise<string> => {
  const server = await assistant(handlers, options).listen(0)
  t.after(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const notify = async (url: string, event: unknown, headers: Record<string, string> = {}) => {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const reply = await fetch(url, { method: 'POST', body, headers })
  const text = await reply.text()
  return [reply.status, text === '' ? undefined : (JSON.parse(text) as unknown)]
}

test("returns a handler's result as actions of its session; strings become speak actions", async (t) => {
  const url = await running(t, {
    session_start: () => 'Hello!',
    user_speak: ({ text }) => [`You said ${text}`, { type: 'hangup' }],
    dtmf_received: async ({ digit }) => ({ type: 'transfer', target: digit }),
    user_input_timeout: () => null,
  })
  assert.deepEqual(await notify(url, { type: 'session_start', session }), [200, [{ type: 'speak', session_id: 's1', text: 'Hello!' }]])
  assert.deepEqual(await notify(url, { type: 'user_speak', text: 'Hi', barged_in: false, session }), [
    200,
    [
      { type: 'speak', session_id: 's1', text: 'You said Hi' },
      { type: 'hangup', session_id: 's1' },
    ],
  ])
  const [, transferred] = await notify(url, { type: 'dtmf_received', digit: '5', session })
  assert.deepEqual(transferred, [{ type: 'transfer', session_id: 's1', target: '5' }])
  for (const type of ['user_input_timeout', 'session_end', 'of_tomorrow'])
    assert.deepEqual(await notify(url, { type, session }), [204, undefined])
})

test('accepts only requests signed with one of the secrets (signed by an independent library)', async (t) => {
  let asked = 0
  const url = await running(t, { session_start: () => `${++asked}` }, { secret: ['whsec_b2xk', secret] })
  const body = JSON.stringify({ type: 'session_start', session })
  const sign = (at: Date, key = secret, signed = body): Record<string, string> => ({
    'webhook-id': 'm1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1,bm90IG91cnM= ${new Webhook(key).sign('m1', at, signed)}`,
  })
  const now = new Date()
  const stale = new Date(now.getTime() - 301_000)
  const forged = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  for (const headers of [{}, sign(stale), sign(now, forged), sign(now, secret, `${body} `)])
    assert.deepEqual(await notify(url, body, headers), [401, undefined])
  assert.equal(asked, 0)
  assert.deepEqual(await notify(url, body, sign(now)), [200, [{ type: 'speak', session_id: 's1', text: '1' }]])
})

test('returns the same reply to a repeated event without calling the handler again', async (t) => {
  const held = Promise.withResolvers<string>()
  let handled = 0
  const url = await running(t, {
    user_speak: () => {
      handled++
      return held.promise
    },
  })
  const event = { type: 'user_speak', text: 'Order', barged_in: false, session }
  const [first, second] = [notify(url, event, { 'x-event-id': 'e1' }), notify(url, event, { 'x-event-id': 'e1' })]
  held.resolve('Ordered')
  assert.deepEqual(await first, await second)
  assert.deepEqual(await notify(url, event, { 'x-event-id': 'e1' }), await first)
  assert.equal(handled, 1)
})

test('answers 500 and reports the error when a handler throws; rejects invalid events', async (t) => {
  const notified: string[] = []
  const handlers: Handlers = {
    session_start: () => {
      throw new Error('no luck')
    },
  }
  const url = await running(t, handlers, { onError: (error, { type }) => notified.push(`${type}: ${(error as Error).message}`) })
  assert.deepEqual(await notify(url, { type: 'session_start', session }), [500, undefined])
  assert.deepEqual(notified, ['session_start: no luck'])
  for (const nonsense of ['', '{', 'null', '[]', '{"type":"user_speak"}']) assert.deepEqual(await notify(url, nonsense), [400, undefined])
  assert.deepEqual(await notify(url, 'x'.repeat(1_000_001)), [413, undefined])
  assert.equal((await fetch(url)).status, 405)
})

test('aborts the preview handler when the caller continues; does not answer a previewed turn again', async (t) => {
  const stopped: unknown[] = []
  const begun = Promise.withResolvers<void>()
  const url = await running(
    t,
    {
      user_speak_preview: ({ text }, { signal }) => {
        if (text === 'Hello') return `You said ${text}`
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped.push(text)
            reject(signal.reason as Error)
          })
          begun.resolve()
        })
      },
      user_speak: ({ text }) => `In the end you said ${text}`,
    },
    { onError: () => assert.fail('nothing is wrong') },
  )
  const preview = (token: string, text: string) =>
    notify(url, { type: 'user_speak_preview', turn_token: token, text, end_probability: 0.8, session })
  const slow = preview('one', 'I want')
  await begun.promise
  assert.deepEqual(await notify(url, { type: 'user_speak_revoked', turn_token: 'one', session }), [204, undefined])
  assert.deepEqual([await slow, stopped], [[204, undefined], ['I want']])
  assert.deepEqual(await preview('two', 'Hello'), [200, [{ type: 'speak', session_id: 's1', text: 'You said Hello' }]])
  assert.deepEqual(await notify(url, { type: 'user_speak', text: 'Hello', barged_in: false, previewed: true, session }), [204, undefined])
  const [, answer] = await notify(url, { type: 'user_speak', text: 'Hello', barged_in: false, session })
  assert.deepEqual(answer, [{ type: 'speak', session_id: 's1', text: 'In the end you said Hello' }])
})

test('joins the output of a streaming handler into one answer', async () => {
  const { connect } = assistant({
    async *user_speak({ text }, { send, spoken, signal }) {
      yield 'Let me '
      yield `see: ${text}.`
      yield { flush: true }
      send({ type: 'note', name: 'tool', data: { name: 'look' } })
      await spoken()
      yield { speech: { tts: { language: 'de-DE' } } }
      yield signal.aborted ? 'Nein.' : 'Ja.'
      yield { type: 'hangup' }
    },
  })
  const frames: string[] = []
  const connection = connect((frame) => frames.push(frame))
  connection.receive(JSON.stringify({ type: 'user_speak', session, text: 'one', barged_in: false, turn: 1 }))
  await connection.idle()
  const own = { session_id: 's1', turn: 1 }
  assert.deepEqual(JSON.parse(frames[0] ?? ''), [
    { ...own, type: 'speak', text: 'Let me see: one.' },
    { ...own, type: 'note', name: 'tool', data: { name: 'look' } },
    { ...own, type: 'speak', text: 'Ja.', tts: { language: 'de-DE' } },
    { ...own, type: 'hangup' },
  ])
})
