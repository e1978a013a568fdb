import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventStreamReader, followEvents, type StreamedEvent } from './event-stream.ts'

test('parses events regardless of chunk boundaries; ignores comments and other fields', () => {
  const text = 'id: c:1\ndata: {"a":1}\n\n: still here\n\nevent: x\r\ndata: one\r\ndata: two\r\n\r\nid: c:3\ndata:three\n\n'
  const expected = [
    { id: 'c:1', data: '{"a":1}' },
    { id: 'c:1', data: 'one\ntwo' },
    { id: 'c:3', data: 'three' },
  ]
  for (const size of [1, 2, 7, text.length]) {
    const reader = new EventStreamReader()
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size))
    assert.deepEqual(
      pieces.flatMap((piece) => reader.read(piece)),
      expected,
      `pieces of ${size}`,
    )
  }
})

test('resumes a broken stream after the last event until it is stopped', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const stop = new AbortController()
  const asked: string[] = []
  const states: string[] = []
  const answers = [
    () => new Response('id: 1\ndata: a\n\n'),
    () => Promise.reject(new TypeError('nobody there')),
    () => new Response('id: 2\ndata: b\n\n'),
  ]
  const open = async (lastId: string): Promise<Response> => {
    asked.push(lastId)
    return (answers.shift() ?? assert.fail)()
  }
  const onState = (state: string): void => {
    states.push(state)
    if (state === 'broken') setImmediate(() => t.mock.timers.tick(10_000))
  }
  const events: StreamedEvent[] = []
  for await (const event of followEvents({ open, signal: stop.signal, onState })) {
    events.push(event)
    if (event.id === '2') stop.abort()
  }
  assert.deepEqual(
    events.map(({ data }) => data),
    ['a', 'b'],
  )
  assert.deepEqual(asked, ['', '1', '1'])
  assert.deepEqual(states, ['live', 'broken', 'broken', 'live'])
})

test('ends on an error reply', async () => {
  const refused = new Error('no')
  const following = followEvents({ open: () => Promise.reject(refused), signal: new AbortController().signal })
  await assert.rejects(following.next(), refused)
})

test('drops a silent connection and reconnects', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const stop = new AbortController()
  let opened = 0
  const open = async (): Promise<Response> => {
    opened += 1
    if (opened > 1) return new Response('id: 2\ndata: b\n\n')
    setImmediate(() => t.mock.timers.tick(45_000))
    return new Response(new ReadableStream({ start: () => {} }))
  }
  const onState = (state: string): void => {
    if (state === 'broken') setImmediate(() => t.mock.timers.tick(500))
  }
  const { value } = await followEvents({ open, signal: stop.signal, onState }).next()
  stop.abort()
  assert.deepEqual(value, { id: '2', data: 'b' })
})
