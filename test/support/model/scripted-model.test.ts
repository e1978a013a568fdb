import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startModelServer } from './model-server.ts'
import { ScriptedModel } from './scripted-model.ts'

const ask = (url: string, body: object, signal?: AbortSignal) =>
  fetch(`${url}/chat/completions`, { method: 'POST', redirect: 'manual', body: JSON.stringify(body), ...(signal && { signal }) })
const messages = [{ role: 'user', content: 'When are you open?' }]

test('answers from the script over HTTP: streamed with tool calls in fragments, whole, as embeddings', async (t) => {
  const calls = [{ name: 'look_up', arguments: { query: 'opening hours' } }, { name: 'hang_up' }]
  const { url, model } = await startModelServer(t, [{ when: 'user: .*open', say: 'From nine.', calls }])
  const text = await (await ask(url, { model: 'm', stream: true, messages })).text()
  const pieces = text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map(
      (line) =>
        JSON.parse(line.slice(6)) as { choices: { delta: { tool_calls?: { index: number; function: { arguments: string } }[] } }[] },
    )
  const parts = pieces.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
  const first = parts.filter(({ index }) => index === 0).map((part) => part.function.arguments)
  assert.ok(first.length > 3)
  assert.equal(first.join(''), '{"query":"opening hours"}')
  assert.match(text, /data: \[DONE\]/)
  const whole = (await (await ask(url, { model: 'm', messages })).json()) as { choices: { message: { content: string } }[] }
  assert.equal(whole.choices[0]?.message.content, 'From nine.')
  const vectors = await fetch(`${url}/embeddings`, { method: 'POST', body: JSON.stringify({ model: 'e', input: ['a b', 'a b', 'c'] }) })
  const { data } = (await vectors.json()) as { data: { embedding: number[] }[] }
  assert.deepEqual(data[0]?.embedding, data[1]?.embedding)
  assert.notDeepEqual(data[0]?.embedding, data[2]?.embedding)
  assert.equal(model.requests.length, 3)
})

test('produces faults by the name of the model or in a step', async (t) => {
  const { url } = await startModelServer(t, [{ when: 'broken', fault: '500', times: 1 }])
  assert.equal((await ask(url, { model: 'fault-429', messages })).headers.get('retry-after'), '1')
  assert.equal((await ask(url, { model: 'fault-redirect', messages })).status, 302)
  const broken = [{ role: 'user', content: 'broken' }]
  assert.equal((await ask(url, { model: 'm', messages: broken })).status, 500)
  assert.equal((await ask(url, { model: 'm', messages: broken })).status, 200)
  const cut = await ask(url, { model: 'fault-cut', stream: true, messages })
  await assert.rejects(cut.text())
  assert.doesNotMatch(await (await ask(url, { model: 'fault-no-finish', stream: true, messages })).text(), /"stop"/)
})

test('records which clients disconnected', async () => {
  const model = new ScriptedModel([{ fault: 'stall' }])
  const leave = new AbortController()
  const { body } = await model.fetch('http://model/v1/chat/completions', {
    body: JSON.stringify({ model: 'm', stream: true, messages }),
    signal: leave.signal,
  })
  const read = body?.getReader().read()
  assert.equal(model.last?.left, false)
  leave.abort(new Error('enough'))
  await assert.rejects(read ?? Promise.resolve(), /enough/)
  assert.equal(model.last?.left, true)
})
