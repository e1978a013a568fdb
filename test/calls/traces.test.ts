import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { startCollector, type Collector, type ReceivedSpan } from '#test/http/otlp-collector.ts'
import { until } from '#test/machine/peer-process.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { startAssistantSocket } from '#test/peers/assistant-socket.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { hearsInTones, isUnderstood, saysInTones } from '#test/phones/tone-speech.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'

const long = 'This is a very long speech that goes on and on, and nobody wants to hear it to its end. '.repeat(3)

/** Greets, answers, and fails on request. */
const reply = (event: AssistantEvent): unknown => {
  const speak = (text: string): unknown => ({ type: 'speak', session_id: event.session.id, text })
  if (event.type === 'session_start') return speak('hello')
  if (event.type !== 'user_speak') return undefined
  if (event.text === 'break') throw new Error('out of order')
  return speak(event.text === 'tell me more' ? long : 'it is me')
}

const newPhone = async (t: TestContext, exchange: Exchange): Promise<SipPhone> => {
  const { user, password } = await exchange.newDevice()
  return SipPhone.open(t, { server: exchange.sip, user, password })
}

/** Trace of the call that ended last; spans are exported every five seconds. */
const finished = async (collector: Collector, calls = 1): Promise<ReceivedSpan[]> => {
  const call = await until('the end of the call in its trace', () => collector.named('call')[calls - 1], 20_000)
  await until('the last event in the trace', () =>
    collector.spans.find(({ traceId, attributes }) => traceId === call.traceId && attributes['offhook.event.type'] === 'session_end'),
  )
  return collector.spans.filter(({ traceId }) => traceId === call.traceId)
}

/** Repeats an utterance that a busy machine damaged. */
const saysUntil = async (phone: SipPhone, text: string, heard: () => boolean): Promise<void> => {
  for (let tries = 1; tries <= 5 && !heard(); tries++) {
    saysInTones(phone, text)
    await until('a turn', () => heard() || undefined, 8_000).catch(() => undefined)
  }
}

const ofTurn = (spans: readonly ReceivedSpan[], turn: number): Record<string, ReceivedSpan> => {
  const parent =
    spans.find(({ name, attributes }) => name === 'turn' && attributes['offhook.turn'] === turn) ?? assert.fail(`no turn ${turn}`)
  return {
    turn: parent,
    ...Object.fromEntries(spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).map((span) => [span.name, span])),
  }
}

test('traces a call from INVITE over the webhook to the first sound, in order and consistent with the timeline', async (t) => {
  const collector = await startCollector(t)
  const endpoint = await startAssistantEndpoint(t, reply)
  const exchange = await startExchange(t, {
    OFFHOOK_EGRESS_ALLOW: endpoint.address,
    OFFHOOK_SPEECH: 'tones',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  const { id } = await exchange.admin.createFlow({}, { name: 'Assistant', webhookUrl: endpoint.url })
  const phone = await newPhone(t, exchange)
  const number = await exchange.newNumber(id)
  const call = phone.call(number)
  await call.answered
  await hearsInTones(phone, 'hello')
  await isUnderstood(phone, endpoint, 'who is there')
  await hearsInTones(phone, 'it is me')
  await isUnderstood(phone, endpoint, 'tell me more')
  await hearsInTones(phone, 'very long')
  const [cut] = await isUnderstood(phone, endpoint, 'enough')
  await hearsInTones(phone, 'it is me')
  await call.session.end()
  await endpoint.received('session_end')

  const spans = await finished(collector)
  const callId = endpoint.events[0]?.body.session.id ?? ''
  const [root, setup] = ['call', 'sip.setup'].map((name) => spans.find((span) => span.name === name) ?? assert.fail(name))
  assert.ok(root && setup)
  assert.deepEqual(
    [root.traceId, root.parentSpanId, root.attributes['offhook.codec'], root.attributes['offhook.call.end.reason'], setup.parentSpanId],
    [callId.replaceAll('-', ''), undefined, 'PCMA', 'caller_hangup', root.spanId],
  )
  assert.deepEqual([setup.startedAt, setup.endedAt <= root.endedAt], [root.startedAt, true])

  const { items } = await exchange.admin.getTimeline({ callId, limit: 1000 })
  const turns = items.filter((entry) => entry.kind === 'turn')
  assert.ok(turns.length >= 3)
  for (const { turn: number, sttFinalMs = 0, answeredMs, firstSoundMs } of turns) {
    const { turn, stt, webhook, tts, first_sound: sound } = ofTurn(spans, number)
    assert.ok(turn && stt && webhook)
    assert.equal(webhook.spanId, spanIdFor(endpoint.events, number))
    assert.ok(Math.abs(stt.endedAt - stt.startedAt - sttFinalMs) <= 1)
    if (firstSoundMs === undefined || answeredMs === undefined) continue
    assert.ok(tts && sound, `turn ${number} has no sound`)
    assert.ok(Math.abs(turn.endedAt - turn.startedAt - firstSoundMs) <= 1)
    assert.ok(Math.abs(sound.endedAt - sound.startedAt - (firstSoundMs - answeredMs)) <= 1)
    const moments = [turn.startedAt, webhook.startedAt, webhook.endedAt, tts.endedAt, sound.endedAt]
    assert.deepEqual(
      moments,
      moments.toSorted((a, b) => a - b),
    )
    assert.deepEqual([stt.attributes['offhook.stt.engine'], tts.attributes['offhook.tts.engine']], ['embedded', 'embedded'])
  }
  assert.equal(cut?.barged_in, true)
  assert.ok(spans.some(({ name, attributes }) => name === 'turn' && attributes['offhook.turn.interrupted'] === true))
  const greeting = ofTurn(spans, 0)
  assert.ok(greeting.webhook && greeting.tts && greeting.first_sound)
  const wire = collector.requests.map(({ json }) => json).join()
  for (const secret of ['hello', 'who is', 'very long', 'enough', '/assistant', number.slice(1)]) assert.ok(!wire.includes(secret), secret)
})

const spanIdFor = (events: Awaited<ReturnType<typeof startAssistantEndpoint>>['events'], turn: number): string | undefined => {
  const found = events.find(({ headers, body }) => body.type === 'user_speak' && Number(headers['x-offhook-turn']) === turn)
  return String(found?.headers['traceparent']).split('-')[2]
}

test('traces an assistant over WebSocket, and one that fails', async (t) => {
  const collector = await startCollector(t)
  const endpoint = await startAssistantEndpoint(t, reply)
  const socket = await startAssistantSocket(t, (event, to) => {
    const actions = reply(event)
    if (actions !== undefined) to.send(JSON.stringify(actions))
  })
  const exchange = await startExchange(t, {
    OFFHOOK_EGRESS_ALLOW: `${endpoint.address},${socket.address}`,
    OFFHOOK_SPEECH: 'tones',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
  })
  const { admin } = exchange
  const [talking, broken] = [
    await admin.createFlow({}, { name: 'Socket', websocketUrl: socket.url }),
    await admin.createFlow({}, { name: 'Broken', webhookUrl: endpoint.url }),
  ]
  const phone = await newPhone(t, exchange)
  const first = phone.call(await exchange.newNumber(talking.id))
  await first.answered
  await hearsInTones(phone, 'hello')
  await saysUntil(phone, 'who is there', () => socket.events.some(({ type }) => type === 'user_speak'))
  await hearsInTones(phone, 'it is me')
  await first.session.end()
  const spans = await finished(collector)
  const root = spans.find(({ name }) => name === 'call') ?? assert.fail('no call')
  assert.deepEqual(
    socket.handshakes.map(({ traceparent }) => traceparent),
    [`00-${root.traceId}-${root.spanId}-01`],
  )
  const { websocket, tts, first_sound: sound } = ofTurn(spans, 1)
  assert.ok(websocket && tts && sound)
  assert.deepEqual([websocket.kind, websocket.attributes['url.scheme'], websocket.status], [3, 'ws', undefined])

  const second = phone.call(await exchange.newNumber(broken.id))
  await second.answered
  await hearsInTones(phone, 'hello')
  await isUnderstood(phone, endpoint, 'break')
  await until('two attempts', () => endpoint.ofType('user_speak').filter(({ text }) => text === 'break').length >= 2 || undefined)
  await second.session.end()
  const failed = (await finished(collector, 2)).filter(({ attributes }) => attributes['offhook.event.type'] === 'user_speak')
  assert.ok(failed.length >= 2)
  for (const { status, attributes } of failed.slice(-2)) assert.deepEqual([status?.code, attributes['error.type']], [2, 'unreachable'])
})
