import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { OutboundFailure, type OutboundRequest } from '#core/kernel/ports/outbound.ts'
import { Relay } from './relay.ts'

const request: OutboundRequest = {
  method: 'POST',
  url: 'listener:1',
  headers: { 'webhook-id': 'e1' },
  body: '{"type":"user_speak"}',
  deadlineMs: 5_000,
  maxBytes: 100,
}

const listen = () => {
  const clock = new VirtualClock()
  const sent: { id: string; headers: object; body: string; deadlineMs: number }[] = []
  const closed: [number, string][] = []
  let waiting = 0
  const connection = {
    send: (text: string, done: () => void) => {
      sent.push(JSON.parse(text))
      done()
    },
    waiting: () => waiting,
    close: (code: number, reason: string) => void closed.push([code, reason]),
  }
  const relay = new Relay({ id: '1', to: undefined, clock, connection })
  const answers = (frame: object): void => relay.said(JSON.stringify({ status: 200, headers: {}, body: '', type: 'reply', ...frame }))
  return { clock, sent, closed, relay, answers, wait: (bytes: number) => void (waiting = bytes) }
}

const failure = (kind: OutboundFailure['kind'], message?: string) => (error: unknown) =>
  error instanceof OutboundFailure && error.kind === kind && (message === undefined || error.message === message)

test('sends a request unchanged and returns its reply as bytes', async () => {
  const { clock, sent, relay, answers } = listen()
  let wired = 0
  const first = relay.request({ ...request, onWire: () => wired++ })
  const second = relay.request(request)
  assert.equal(wired, 1)
  assert.deepEqual(sent[0], { type: 'request', id: '1', headers: request.headers, body: request.body, deadlineMs: 5_000 })
  answers({ id: '2', body: Buffer.from([0xff, 0]).toString('base64'), base64: true })
  answers({ id: '1', status: 404, headers: { 'Retry-After': '7' }, body: 'grüß' })
  assert.deepEqual(await first, { status: 404, headers: { 'retry-after': '7' }, body: Buffer.from('grüß') })
  assert.deepEqual((await second).body, Buffer.from([0xff, 0]))
  assert.equal(clock.pending(), 0)
})

test('fails with a distinct error when a listener is late, disconnects, or sends too much', async () => {
  const { clock, relay, answers, closed } = listen()
  const late = relay.request(request)
  const large = relay.request(request)
  const refused = relay.request(request)
  const stopping = new AbortController()
  const dropped = relay.request({ ...request, signal: stopping.signal })
  answers({ id: '2', body: 'x'.repeat(101) })
  relay.said(JSON.stringify({ type: 'failure', id: '3', kind: 'connect', message: 'nobody is there' }))
  stopping.abort()
  await assert.rejects(large, failure('too_large'))
  await assert.rejects(refused, failure('connect', 'nobody is there'))
  await assert.rejects(dropped, failure('aborted'))
  await Promise.all([assert.rejects(late, failure('timeout')), clock.advance(5_000)])
  answers({ id: '1' })
  assert.deepEqual(closed, [], 'a late answer is no offence')
  const broken = relay.request(request)
  relay.broke()
  await assert.rejects(broken, failure('broken'))
  await assert.rejects(relay.request(request), failure('connect'))
  assert.equal(clock.pending(), 0)
})

test('sends no more requests to a slow listener until it catches up', async () => {
  const { relay, wait, answers } = listen()
  wait(2 * 1024 * 1024)
  await assert.rejects(relay.request(request), failure('connect', 'the listener does not keep up'))
  wait(0)
  const all = Array.from({ length: 64 }, () => relay.request(request))
  await assert.rejects(relay.request(request), failure('connect', 'the listener does not keep up'))
  answers({ id: '1' })
  await all[0]
  const next = relay.request(request)
  relay.broke()
  for (const one of [...all.slice(1), next]) await assert.rejects(one, failure('broken'))
})

for (const [what, text] of [
  ['no JSON', 'hello'],
  ['another type', '{"type":"hello","id":"1"}'],
  ['a field of the wrong kind', '{"type":"reply","id":"1","status":"200","headers":{},"body":""}'],
  ['an unknown field', '{"type":"failure","id":"1","kind":"connect","message":"","more":1}'],
] as const)
  test(`closes the connection with a reason after an invalid message: ${what}`, async () => {
    const { relay, closed } = listen()
    const asked = relay.request(request)
    relay.said(text)
    await assert.rejects(asked, failure('broken'))
    assert.equal(closed[0]?.[0], 4007)
    assert.notEqual(closed[0]?.[1], '')
    assert.ok(relay.over)
  })

test('closes the connection after endless replies to unknown requests', () => {
  const { closed, answers } = listen()
  for (let times = 0; times < 200; times++) answers({ id: 'x' })
  assert.equal(closed.length, 0)
  answers({ id: 'x' })
  assert.equal(closed[0]?.[0], 4007)
})
