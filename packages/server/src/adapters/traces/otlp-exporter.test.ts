import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startCollector } from '#test/http/otlp-collector.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Span } from '#core/kernel/trace/tracer.ts'
import { otlpTracer, type OtlpTracer, type OtlpTracerDeps } from './otlp-tracer.ts'

const span = (number = 1): Span => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: number.toString(16).padStart(16, '0'),
  parentId: 'b7ad6b7169203331',
  name: 'webhook',
  kind: 'client',
  startedAt: 1_700_000_000_000.25,
  endedAt: 1_700_000_000_012,
  attributes: {
    'http.response.status_code': 503,
    'offhook.share': 0.5,
    'offhook.turn.typed': false,
    'offhook.none': undefined,
    'offhook.list': ['a', 'b'],
  },
  events: [{ name: 'ringing', at: 1_700_000_000_001 }],
  error: '503',
})

const openStage = async (t: TestContext, { waits = true, ...options }: Partial<OtlpTracerDeps> & { waits?: boolean } = {}) => {
  const collector = await startCollector(t)
  let tracer: OtlpTracer | undefined
  const clock = new VirtualClock(undefined, async () => (waits ? tracer?.idle() : undefined))
  const notified: string[] = []
  tracer = otlpTracer({
    clock,
    url: `${collector.url}/v1/traces`,
    headers: { authorization: 'Bearer secret' },
    timeoutMs: 10_000,
    compress: true,
    resource: { attributes: { 'service.name': 'offhook' }, scope: { name: 'offhook', version: '0.1.0' } },
    sampler: 'parentbased_always_on',
    ratio: 1,
    onFailing: (why) => notified.push(why),
    onRecovered: (dropped) => notified.push(`recovered, ${dropped} dropped`),
    ...options,
  })
  const opened = tracer
  t.after(async () => {
    await opened.close()
    assert.equal(clock.pending(), 0)
  })
  return { collector, clock, tracer: opened, told: notified }
}

test('collects spans for five seconds and sends them together in OTLP format', async (t) => {
  const { collector, clock, tracer } = await openStage(t)
  assert.equal(clock.pending(), 0, 'nothing waits while there is nothing to send')
  tracer.notify(span(1))
  tracer.notify({ ...span(2), kind: 'internal', parentId: undefined, error: undefined, events: undefined } as unknown as Span)
  await clock.advance(4_999)
  assert.equal(collector.requests.length, 0)
  await clock.advance(1)
  const [request] = collector.requests
  assert.deepEqual(
    [request?.path, request?.headers['content-type'], request?.headers['content-encoding'], request?.headers.authorization],
    ['/v1/traces', 'application/json', 'gzip', 'Bearer secret'],
  )
  assert.deepEqual(JSON.parse(request?.json ?? ''), {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'offhook' } }] },
        scopeSpans: [
          {
            scope: { name: 'offhook', version: '0.1.0' },
            spans: [
              {
                traceId: '0af7651916cd43dd8448eb211c80319c',
                spanId: '0000000000000001',
                parentSpanId: 'b7ad6b7169203331',
                name: 'webhook',
                kind: 3,
                startTimeUnixNano: '1700000000000250000',
                endTimeUnixNano: '1700000000012000000',
                attributes: [
                  { key: 'http.response.status_code', value: { intValue: '503' } },
                  { key: 'offhook.share', value: { doubleValue: 0.5 } },
                  { key: 'offhook.turn.typed', value: { boolValue: false } },
                  { key: 'offhook.list', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } } },
                  { key: 'error.type', value: { stringValue: '503' } },
                ],
                events: [{ name: 'ringing', timeUnixNano: '1700000000001000000', attributes: [] }],
                status: { code: 2, message: '503' },
              },
              {
                traceId: '0af7651916cd43dd8448eb211c80319c',
                spanId: '0000000000000002',
                name: 'webhook',
                kind: 1,
                startTimeUnixNano: '1700000000000250000',
                endTimeUnixNano: '1700000000012000000',
                attributes: [
                  { key: 'http.response.status_code', value: { intValue: '503' } },
                  { key: 'offhook.share', value: { doubleValue: 0.5 } },
                  { key: 'offhook.turn.typed', value: { boolValue: false } },
                  { key: 'offhook.list', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } } },
                ],
              },
            ],
          },
        ],
      },
    ],
  })
  assert.deepEqual(tracer.counts, { sent: 2, dropped: 0 })
})

test('sends many spans without waiting, in requests of limited size', async (t) => {
  const { collector, clock, tracer } = await openStage(t, { compress: false })
  for (let i = 1; i <= 600; i++) tracer.notify(span(i))
  await clock.advance(0)
  assert.deepEqual(
    collector.requests.map(({ json, headers }) => [
      (JSON.parse(json) as never)['resourceSpans'][0]['scopeSpans'][0]['spans']['length'],
      headers['content-encoding'],
    ]),
    [
      [256, undefined],
      [256, undefined],
      [88, undefined],
    ],
  )
})

test('pauses for a busy collector as long as requested, and reports it once', async (t) => {
  const { collector, clock, tracer, told: notified } = await openStage(t)
  collector.answer = (response) => response.writeHead(503, { 'retry-after': '7' }).end()
  tracer.notify(span())
  await clock.advance(5_000)
  await clock.advance(6_999)
  assert.equal(collector.requests.length, 1)
  await clock.advance(1)
  assert.equal(collector.requests.length, 2)
  collector.answer = undefined
  await clock.advance(7_000)
  assert.deepEqual([notified, tracer.counts], [['HTTP 503', 'recovered, 0 dropped'], { sent: 1, dropped: 0 }])
})

test('limits memory while the collector is unavailable, and counts the loss', async (t) => {
  const { collector, clock, tracer, told: notified } = await openStage(t)
  collector.answer = (response) => response.destroy()
  for (let i = 1; i <= 3_000; i++) tracer.notify(span(i))
  await clock.advance(60_000)
  assert.equal(collector.requests.length > 5 && collector.requests.length < 40, true)
  assert.equal(notified.length, 1)
  assert.equal(tracer.counts.sent, 0)
  collector.answer = undefined
  await clock.advance(60_000)
  const { sent, dropped } = tracer.counts
  assert.equal(sent + dropped, 3_000)
  assert.ok(dropped >= 3_000 - 2_048 - 256)
  assert.match(notified.at(-1) ?? '', /^recovered/)
})

test('does not resend spans that a collector rejects', async (t) => {
  const { collector, clock, tracer, told: notified } = await openStage(t)
  collector.answer = (response) => response.writeHead(401).end('who are you?')
  tracer.notify(span())
  await clock.advance(100_000)
  assert.deepEqual([collector.requests.length, notified, tracer.counts], [1, ['HTTP 401'], { sent: 0, dropped: 1 }])
  collector.answer = (response) => response.writeHead(200).end('{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}')
  tracer.notify(span(1))
  tracer.notify(span(2))
  await clock.advance(5_000)
  assert.deepEqual(tracer.counts, { sent: 1, dropped: 2 })
})

test('gives up on a collector that never answers, and the service stops without it', async (t) => {
  const { collector, clock, tracer, told: notified } = await openStage(t, { waits: false, timeoutMs: 1_000 })
  const requests = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  collector.answer = () => requests[collector.requests.length - 1]?.resolve()
  tracer.notify(span())
  await clock.advance(5_000)
  await requests[0].promise
  await clock.advance(1_000)
  await clock.advance(1_000)
  await requests[1].promise
  const closing = tracer.close()
  await clock.advance(2_000)
  await closing
  assert.deepEqual([notified, tracer.counts], [['nothing came within 1000 ms'], { sent: 0, dropped: 1 }])
})

test('sends the remaining spans when the service stops', async (t) => {
  const { collector, tracer } = await openStage(t)
  tracer.notify(span())
  await tracer.close()
  assert.equal(collector.spans.length, 1)
  tracer.notify(span(2))
  assert.deepEqual(tracer.counts, { sent: 1, dropped: 1 })
})
