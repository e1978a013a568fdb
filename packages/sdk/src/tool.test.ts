import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import type { Answer } from './answering.ts'
import { tool } from './tool.ts'

const book = tool({
  name: 'book',
  description: 'Books a table.',
  parameters: Type.Object({ guests: Type.Integer({ minimum: 1 }) }),
  run: ({ guests }) => {
    if (guests > 8) throw new Error('we are full')
    return { booked: guests }
  },
})

test('describes a tool for models, checks its arguments, and always answers', async () => {
  assert.equal(book.definition.function.name, 'book')
  assert.equal((book.definition.function.parameters['properties'] as { guests: { type: string } }).guests.type, 'integer')
  assert.equal(await book.call('{"guests": 2}'), '{"booked":2}')
  assert.equal(await book.call('{"guests": 9}'), '{"error":"we are full"}')
  assert.match(await book.call('{"guests": 0}'), /^The arguments do not fit: guests must be >= 1/)
  assert.match(await book.call('guests two'), /no JSON object/)
})

test('notes the use of a tool in a turn; accepts any JSON Schema', async () => {
  const sent: Answer[] = []
  const plain = tool({
    name: 'time',
    description: 'Tells the time.',
    parameters: { type: 'object', properties: {}, required: [] },
    run: () => 'noon',
  })
  const turn = { signal: new AbortController().signal, send: (action: Answer) => void sent.push(action) }
  assert.equal(await plain.call('', turn), 'noon')
  const [note] = sent
  assert.ok(note?.type === 'note')
  const { ms: _, ...data } = note.data as { ms: number }
  assert.deepEqual([note.name, data], ['tool', { name: 'time', arguments: '', status: 'ok', result: 'noon' }])
})
