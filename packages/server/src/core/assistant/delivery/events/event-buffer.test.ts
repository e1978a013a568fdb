import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventMaker } from '#test/http/customer-endpoint.ts'
import { EventBuffer } from './event-buffer.ts'

const sequences = (buffer: EventBuffer) => buffer.waiting.map(({ event }) => event.sequence)

test('removes confirmed events and keeps order and text of the others', () => {
  const buffer = new EventBuffer()
  const next = eventMaker('a')
  const first = next('session_start', 3)
  assert.deepEqual(JSON.parse(buffer.put(first)?.text ?? ''), { ...first.body, event_id: first.id, sequence: 1, turn: 3 })
  for (let i = 0; i < 4; i++) buffer.put(next('user_speak'))
  assert.equal(buffer.confirmed, 0)
  assert.deepEqual(
    buffer.confirm(2).map(({ event }) => event.sequence),
    [1, 2],
  )
  assert.deepEqual([buffer.confirmed, sequences(buffer)], [2, [3, 4, 5]])
  assert.deepEqual(buffer.confirm(1), [])
  assert.equal(buffer.confirmed, 2)
  assert.deepEqual(
    buffer.takeAll().map(({ sequence }) => sequence),
    [3, 4, 5],
  )
  assert.deepEqual(sequences(buffer), [])
})

test('holds at most 64 events or 256 KiB', () => {
  const many = new EventBuffer()
  const next = eventMaker('a')
  for (let i = 0; i < 64; i++) assert.ok(many.put(next('user_speak')))
  assert.equal(many.put(next('user_speak')), undefined)
  many.confirm(1)
  assert.ok(many.put(next('user_speak')))
  const large = new EventBuffer()
  const event = next('user_speak')
  const long = { ...event, body: { ...event.body, text: 'ä'.repeat(66_000) } } as typeof event
  assert.ok(large.put(long))
  assert.ok(large.put(long) === undefined, 'bytes are counted, not characters')
  large.takeAll()
  assert.ok(large.put(long))
})
