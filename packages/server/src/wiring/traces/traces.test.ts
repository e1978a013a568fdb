// test: own process
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test, type TestContext } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { startCollector, type Collector, type ReceivedSpan } from '#test/http/otlp-collector.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { startWorld } from '#test/world/world.ts'

const secretWords = 'my password is swordfish'

const openStage = async (t: TestContext, { collector, ...more }: { collector?: Collector } & Record<string, unknown> = {}) => {
  const customer = await startAssistantEndpoint(t, ({ type, session }: AssistantEvent) => {
    if (type === 'user_speak') throw new Error('the assistant is out of order')
    return type === 'session_start' ? { type: 'speak', session_id: session.id, text: secretWords } : undefined
  })
  const lines: { event: string; callId?: unknown; traceId?: unknown }[] = []
  const settings = {
    OFFHOOK_EGRESS_ALLOW: customer.address,
    ...(collector && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' }),
    ...more,
  }
  const world = await startWorld(t, { settings, replaced: { log: (event, fields) => lines.push({ event, ...fields }) } })
  const person = await world.newAccount()
  const webhookUrl = `${customer.url}/secret-path?token=secret`
  const flow = await person.api.createFlow({}, { name: 'Reception', webhookUrl, timeouts: { silence_seconds: 3600 } })
  return { world, customer, person, flow, lines }
}

/** A caller types one sentence to the assistant, and leaves. */
const talk = async (t: TestContext, { person, flow, customer, world }: Awaited<ReturnType<typeof openStage>>): Promise<string> => {
  const { talkId, url } = await person.api.startTalk({ aiFlowId: flow.id }, { audio: false })
  const client = await TalkClient.open(t, url)
  await client.onEvent('answered')
  await customer.received('session_start')
  await world.clock.advance(100)
  client.send({ type: 'text', text: secretWords })
  await customer.received('user_speak')
  await world.clock.advance(10_000)
  client.send({ type: 'hangup' })
  await client.closed
  await customer.received('session_end')
  await world.clock.advance(10_000)
  return talkId
}

const parentOf = (collector: Collector, { parentSpanId }: ReceivedSpan): ReceivedSpan | undefined =>
  collector.spans.find(({ spanId }) => spanId === parentSpanId)

// Must be the first test: modules are loaded only once.
test('loads no tracing modules until tracing is configured', async (t) => {
  const loaded: string[] = []
  const hooks = registerHooks({
    load: (url, context, next) => {
      loaded.push(url)
      return next(url, context)
    },
  })
  t.after(() => hooks.deregister())
  const ofTraces = (): string[] => loaded.filter((url) => /(adapters|operate)\/traces|opentelemetry/.test(url))
  await talk(t, await openStage(t))
  await talk(t, await openStage(t, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }))
  assert.deepEqual(ofTraces(), [])
  await openStage(t, { collector: await startCollector(t) })
  assert.notDeepEqual(ofTraces(), [])
})

test('traces a call to the endpoint without words or secrets', async (t) => {
  const collector = await startCollector(t)
  const stage = await openStage(t, { collector })
  const callId = await talk(t, stage)
  const traceId = callId.replaceAll('-', '')
  assert.deepEqual([...new Set(collector.spans.map((span) => span.traceId))], [traceId])
  const [call] = collector.named('call')
  assert.equal(call?.parentSpanId, undefined)
  assert.equal(call?.attributes['offhook.call.end.reason'], 'caller_hangup')
  for (const span of collector.spans.filter((one) => one !== call)) {
    const parent = parentOf(collector, span)
    assert.ok(parent, `${span.name} has no parent`)
    assert.ok(span.startedAt >= parent.startedAt, `${span.name} begins before ${parent.name}`)
    assert.equal(span.attributes['offhook.call.id'], callId)
  }
  const turns = collector.named('turn')
  assert.deepEqual(
    turns.map(({ attributes }) => [attributes['offhook.turn'], attributes['offhook.turn.typed']]),
    [
      [0, undefined],
      [1, true],
    ],
  )
  for (const { headers, body } of stage.customer.events) {
    const [, trace, spanId, flags] = String(headers['traceparent']).split('-')
    const span = collector.named('webhook').find((one) => one.spanId === spanId)
    assert.deepEqual([trace, flags, span?.attributes['offhook.event.type']], [traceId, '01', body.type])
  }
  const asked = collector.named('webhook').filter(({ attributes }) => attributes['offhook.event.type'] === 'user_speak')
  assert.deepEqual(
    asked.map(({ attributes, status, ...span }) => [
      attributes['error.type'],
      status?.code,
      attributes['http.request.resend_count'],
      parentOf(collector, { attributes, ...span })?.attributes['offhook.turn'],
    ]),
    [
      ['unreachable', 2, undefined, 1],
      ['unreachable', 2, 1, 1],
    ],
  )
  assert.equal(new Set(asked.map(({ attributes }) => attributes['server.port'])).size, 1)
  const wire = collector.requests.map(({ json }) => json).join()
  assert.doesNotMatch(wire, /swordfish|secret|Reception/)
  assert.equal(collector.resource['service.name'], 'offhook')
  assert.equal(collector.resource['deployment.environment.name'], 'test')
  assert.deepEqual(
    stage.lines.filter((line) => line.callId === callId && line.event.startsWith('call_')).map((line) => [line.event, line.traceId]),
    [
      ['call_started', traceId],
      ['call_answered', traceId],
      ['call_ended', traceId],
    ],
  )
})

test('does not affect calls when the collector is unavailable or rejects the traces', async (t) => {
  const collector = await startCollector(t)
  collector.answer = (response) => response.destroy()
  const away = await openStage(t, { collector })
  await talk(t, away)
  await away.world.clock.advance(60_000)
  const said = away.lines.filter(({ event }) => event.startsWith('traces_'))
  assert.deepEqual(
    said.map(({ event }) => event),
    ['traces_unavailable'],
  )
  const unsampled = await openStage(t, { collector, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })
  const before = collector.requests.length
  await talk(t, unsampled)
  await unsampled.world.running.close()
  assert.equal(collector.requests.length, before)
  assert.match(String(unsampled.customer.events[0]?.headers['traceparent']), /-00$/)
})

test('continues the trace of a REST request in its call', async (t) => {
  const collector = await startCollector(t)
  const { world, person } = await openStage(t, { collector })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const order = { caller: 'e9', callee: '+4921163554444' }
  const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/json', traceparent }
  const reply = await fetch(`${world.url}/v1/sessions/calls`, { method: 'POST', headers, body: JSON.stringify(order) })
  assert.equal(reply.status, 400)
  await world.clock.advance(5_000)
  const [span] = collector.spans
  assert.deepEqual(
    [span?.name, span?.traceId, span?.parentSpanId, span?.kind, span?.status?.code],
    ['POST /v1/sessions/calls', '0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', 2, 2],
  )
})
