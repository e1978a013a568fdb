import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'
import { callerAt, judgeAt } from './models.ts'

const transcript: ScenarioMoment[] = [
  { atMs: 0, turn: 0, by: 'assistant', text: 'Welcome to the', cut: true },
  { atMs: 900, turn: 1, by: 'caller', text: 'A table, please' },
  { atMs: 1900, turn: 1, by: 'assistant', action: 'tool (book)' },
]

/** A model that gives this answer and records its requests. */
const modelSaying = (content: string, status = 200) => {
  const asked: { url: string; authorization: string | undefined; messages: { content: string }[] }[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { authorization } = (init?.headers ?? {}) as Record<string, string>
    const { messages } = JSON.parse(init?.body as string) as { messages: { content: string }[] }
    asked.push({ url: url as string, authorization, messages })
    return Response.json({ choices: [{ message: { content } }] }, { status })
  }
  return { asked, address: { url: 'http://model.test/v1/', model: 'm', apiKey: 'sk', fetch } }
}

test('sends the transcript and the claim to the judge, returns its reason', async () => {
  const { asked, address } = modelSaying('Sure: {"holds": false, "why": "It was rude."}')
  assert.deepEqual(await judgeAt(address)('It was friendly.', transcript), { holds: false, why: 'It was rude.' })
  const [{ url, authorization, messages } = { messages: [] }] = asked
  assert.deepEqual([url, authorization], ['http://model.test/v1/chat/completions', 'Bearer sk'])
  assert.match(
    messages[1]?.content ?? '',
    /assistant: Welcome to the…\ncaller: A table, please\nassistant: \(tool \(book\)\)\n\nThe claim: It was friendly\.$/,
  )
})

test('speaks, presses keys or hangs up as a played caller', async () => {
  const move = (content: string) => callerAt(modelSaying(content).address)({ persona: 'in a hurry', goal: 'a table' }, transcript)
  assert.deepEqual(await move('{"say": "For two."}'), { say: 'For two.' })
  assert.deepEqual(await move('{"press": "1#"}'), { press: '1#' })
  assert.deepEqual(await move('{"hang_up": true}'), { hang_up: true })
  await assert.rejects(move('{"press": "abc"}'), /neither spoke nor pressed a key nor hung up/)
})

test('names the model that failed', async () => {
  await assert.rejects(judgeAt(modelSaying('', 500).address)('x', []), {
    name: 'ModelFailed',
    message: /model\.test answered with status 500/,
  })
  await assert.rejects(judgeAt(modelSaying('Well, yes.').address)('x', []), /is not the JSON/)
  await assert.rejects(judgeAt(modelSaying('{"holds": "maybe"}').address)('x', []), /did not say whether it holds/)
})
