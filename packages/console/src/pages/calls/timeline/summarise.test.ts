import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summarise } from './summarise.ts'
import { text } from './text.ts'

const noted = (name: string, data?: unknown) =>
  summarise({ callId: 'c', sequence: 1, at: 1, kind: 'note', eventId: 'e', turn: 1, name, data }, text.en, new Map())

test("describes an assistant's notes", () => {
  const request = {
    model: 'qwen3:4b',
    firstTokenMs: 180,
    promptTokens: 420,
    completionTokens: 30,
    cost: { amount: 0.0004, currency: 'EUR' },
  }
  assert.deepEqual(noted('model', request), { words: 'Model · qwen3:4b · 420 + 30 tokens · 0.0004 EUR', tail: 'first token 180 ms' })
  const tool = { name: 'order_state', arguments: { order: '17' }, status: 'ok', ms: 95, request: 'POST', response: '{}' }
  assert.deepEqual(noted('tool', tool), { words: 'Tool · order_state {"order":"17"} · done', tail: '95 ms' })
  const passages = [
    { document: 'hours.md', heading: 'Friday' },
    { document: 'prices.pdf', page: 2 },
  ]
  assert.equal(noted('knowledge', { query: 'Friday?', passages }).words, 'Looked up · Friday? · hours.md, Friday; prices.pdf, p. 2')
  assert.equal(noted('knowledge', { query: 'Pizza?' }).words, 'Looked up · Pizza? · nothing found')
  assert.equal(noted('assistant', { version: 3, model: 'qwen3:4b' }).words, 'Assistant · version 3 · qwen3:4b')
  assert.equal(noted('assistant', { version: 'draft', limit: 'turns' }).words, 'Assistant · draft · limit reached: turns')
})

test('shows notes of other endpoints unchanged', () => {
  assert.equal(noted('crm', { id: 7 }).words, 'crm · {"id":7}')
  assert.equal(noted('crm').words, 'crm')
  assert.equal(noted('tool', 'nonsense').words, 'Tool · ? ')
  assert.equal(noted('knowledge', { passages: 'nonsense' }).words, 'Looked up · nothing found')
})
