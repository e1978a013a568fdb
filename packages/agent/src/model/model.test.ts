import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScriptedModel } from '#test/model/scripted-model.ts'
import { wallClock } from '../clock.ts'
import type { HttpRequest } from '../outbound.ts'
import { complete, type Attempt, readEvents, TooMuch } from './chat-completions.ts'
import { addressOf, headersOf, Refusals, type OneModel, type ChatRequest, type Completion } from './messages.ts'

async function* bytes(pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield new TextEncoder().encode(piece)
}

const eventsOf = async (pieces: readonly string[], max = 1_000): Promise<string[]> => {
  const events: string[] = []
  for await (const event of readEvents(bytes(pieces), max)) events.push(event)
  return events
}

test('parses events with any chunking and any line ends', async () => {
  const text = ': hello\r\n\r\ndata: {"a":1}\r\n\r\nevent: x\ndata:two\ndata: lines\n\n\n\ndata: last'
  for (const size of [1, 2, 3, 5, 100])
    assert.deepEqual(await eventsOf(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []), ['{"a":1}', 'two\nlines', 'last'])
  assert.deepEqual(await eventsOf(['data: ä', 'ö\r', '\n\r\n']), ['äö'])
  await assert.rejects(eventsOf(['data: ', 'x'.repeat(2_000)]), TooMuch)
})

const openAi: OneModel = {
  url: 'https://api.openai.com/v1/',
  name: 'gpt',
  api_key: 'k',
  headers: [{ name: 'X-Org', value: 'o' }, { name: 'X-None' }],
}
const azure: OneModel = { url: 'https://x.openai.azure.com/openai/deployments/gpt?api-version=2026-01-01', name: 'gpt', api_key: 'k' }

test('builds addresses and headers for each server type', () => {
  assert.equal(addressOf(openAi), 'https://api.openai.com/v1/chat/completions')
  assert.equal(addressOf({ url: 'http://127.0.0.1:11434/v1', name: 'm' }), 'http://127.0.0.1:11434/v1/chat/completions')
  assert.equal(addressOf({ url: 'http://h/v1/chat/completions', name: 'm' }), 'http://h/v1/chat/completions')
  assert.equal(addressOf(azure), 'https://x.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2026-01-01')
  assert.deepEqual(
    [headersOf(openAi)['authorization'], headersOf(openAi)['x-org'], headersOf(openAi)['x-none']],
    ['Bearer k', 'o', undefined],
  )
  assert.deepEqual([headersOf(azure)['api-key'], headersOf(azure)['authorization']], ['k', undefined])
})

const request: ChatRequest = { messages: [{ role: 'user', content: 'Hello' }], tools: [{ name: 't', description: '', parameters: {} }] }

const run = async (fetch: (url: string, input: HttpRequest) => Promise<Response>, refusals = new Refusals()): Promise<Completion> => {
  const attempt: Attempt = { model: 'm', server: 'model.example', number: 1, request: '', response: '' }
  const parts = { clock: wallClock, fetch, refusals }
  const asking = { signal: new AbortController().signal, firstTokenMs: 5_000, attempt }
  const words = complete(parts, { url: 'http://model.test/v1', name: 'm' }, request, asking)
  for (let step = await words.next(); ; step = await words.next()) if (step.done) return step.value
}

test('omits a rejected parameter permanently', async () => {
  const model = new ScriptedModel([{ say: 'Hi.' }])
  const refusing = [/"stream_options"/, /"max_tokens"/, /"tools"/]
  const words = ['Unknown field stream_options', "Unsupported parameter: 'max_tokens'", 'this model does not support tools']
  const bodies: string[] = []
  const fetch = async (url: string, input: HttpRequest): Promise<Response> => {
    bodies.push(input.body ?? '')
    const place = refusing.findIndex((pattern) => pattern.test(input.body ?? ''))
    return place < 0
      ? model.fetch(url, { ...input, body: input.body ?? '' })
      : Response.json({ error: { message: words[place] } }, { status: 400 })
  }
  const refusals = new Refusals()
  assert.equal((await run(fetch, refusals)).text, 'Hi.')
  assert.equal(bodies.length, 4)
  assert.match(bodies[3] ?? '', /"max_completion_tokens":300/)
  await run(fetch, refusals)
  assert.equal(bodies.length, 5)
})

test('fails on a rejection that names no parameter', async () => {
  await assert.rejects(
    run(async () => Response.json({ error: { message: 'no' } }, { status: 400 })),
    { name: 'ModelFailure', message: /400/ },
  )
})

test('accepts a server without streaming and reports an error inside the stream', async () => {
  const message = { content: 'All at once.', tool_calls: [{ id: 'a', function: { name: 't', arguments: '{}' } }] }
  const whole = await run(async () => Response.json({ choices: [{ message, finish_reason: 'stop' }] }))
  assert.deepEqual([whole.text, whole.calls], ['All at once.', [{ id: 'a', name: 't', arguments: '{}' }]])
  await assert.rejects(
    run(async () => new Response('data: {"error":{"message":"overloaded"}}\n\n')),
    { name: 'ModelFailure', message: /overloaded/ },
  )
  await assert.rejects(
    run(async () => new Response('data: null\n\n')),
    { name: 'ModelFailure' },
  )
  const many = JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 99, function: { name: 'x' } }] } }] })
  await assert.rejects(
    run(async () => new Response(`data: ${many}\n\n`)),
    { name: 'ModelFailure' },
  )
})
