import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '#test/world/world.ts'
import { withDemoAssistant } from '#adapters/demo-outbound.ts'
import { outboundHttp } from '#adapters/outbound-http.ts'

const session = { id: 'a', account_id: '1', phone_number: '49' }

const post = async (url: string, body: unknown): Promise<{ status: number; actions: { type: string; text?: string }[] }> => {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await reply.text()
  return { status: reply.status, actions: reply.status === 200 ? (JSON.parse(text) as { type: string }[]) : [] }
}

test('greets, repeats and says goodbye in English or German, and answers 204 to other events', async (t) => {
  const { url } = await startWorld(t, { settings: { OFFHOOK_DEMO: 'on' } })
  const say = async (body: object, query = '') => {
    const { actions } = await post(`${url}/demo/assistant${query}`, { session, ...body })
    return actions.map(({ type, text }) => text ?? type)
  }
  assert.match(String(await say({ type: 'session_start' })), /^Hello/)
  assert.match(String(await say({ type: 'session_start' }, '?language=de')), /^Hallo/)
  assert.deepEqual(await say({ type: 'user_speak', text: 'Good morning' }), ['You said: Good morning'])
  assert.deepEqual(await say({ type: 'user_speak', text: 'Guten Tag' }, '?language=de'), ['Sie sagten: Guten Tag'])
  for (const text of ['Well, goodbye.', 'Good-bye.', 'Good-by', 'good bye', 'Bye!', 'Bye-bye.', 'Goodby.'])
    assert.deepEqual(await say({ type: 'user_speak', text }), ['Goodbye!', 'hangup'], text)
  for (const text of ['Auf Wiedersehen!', 'Tschüss', 'tschüs dann', 'Auf Wiederhören.', 'Tschuess'])
    assert.deepEqual(await say({ type: 'user_speak', text }, '?language=de'), ['Auf Wiedersehen!', 'hangup'], text)
  const { actions } = await post(`${url}/demo/assistant`, { session, type: 'user_speak', text: 'Goodbye' })
  assert.deepEqual(actions[0], {
    type: 'speak',
    session_id: 'a',
    text: 'Goodbye!',
    tts: { language: 'en-US' },
    barge_in: { strategy: 'none' },
  })
  for (const text of ['That is good by me', 'Standby', 'Goodbyes are hard'])
    assert.deepEqual(await say({ type: 'user_speak', text }), [`You said: ${text}`])
  for (const body of [
    { type: 'session_end', session },
    { type: 'user_speak', session },
    { type: 'session_start', session: null },
    [],
    null,
    7,
  ])
    assert.deepEqual(await post(`${url}/demo/assistant`, body), { status: 204, actions: [] }, JSON.stringify(body))
})

test('is reachable only for the demo flow, by a reserved address that customers cannot set', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_DEMO: 'on' } })
  const closed = outboundHttp({ allow: [] })
  const outbound = withDemoAssistant(closed, () => world.url)
  t.after(async () => {
    await outbound.close()
    await closed.close()
  })
  const request = (url: string) =>
    outbound.request({ method: 'POST', url, body: JSON.stringify({ type: 'session_start', session }), deadlineMs: 5_000, maxBytes: 10_000 })
  const { status, body } = await request('demo:assistant?language=de')
  assert.equal(status, 200)
  assert.match(body.toString(), /Hallo/)
  for (const url of [`${world.url}/demo/assistant`, 'demo:assistant/../../operator', 'demo:assistant?x=1', 'demo://127.0.0.1/'])
    await assert.rejects(request(url), { kind: 'refused' }, url)

  const { token = '', flowId: aiFlowId = '' } = world.running.firstStart.notes ?? {}
  const demo = world.client(token)
  await demo.changeFlow({ aiFlowId }, { name: 'Renamed', webhookUrl: 'demo:assistant' })
  assert.equal((await demo.getFlow({ aiFlowId })).webhookUrl, 'demo:assistant')
  await demo.changeFlow({ aiFlowId }, { name: 'Own', webhookUrl: 'https://example.com' })
  await assert.rejects(demo.changeFlow({ aiFlowId }, { name: 'Back', webhookUrl: 'demo:assistant' }), { status: 400 })
  await assert.rejects(demo.createFlow({}, { name: 'Second', webhookUrl: 'demo:assistant' }), { status: 400 })
})

test('does not exist without the demo setting', async (t) => {
  const { url } = await startWorld(t)
  assert.equal((await post(`${url}/demo/assistant`, { type: 'session_start', session })).status, 404)
})
