import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { Span, Tracer } from '#core/kernel/trace/tracer.ts'
import { callSpanId, turnSpanId } from '#core/kernel/trace/tracer.ts'
import type { Input } from '#test/session/scripted-endpoint.ts'
import { openSession, SessionFixture } from '#test/session/session-fixture.ts'
import { openTestStore } from '#test/store/databases.ts'
import { callOut } from '#test/routing/flow-calls.ts'
import type { CallFacts } from '#core/kernel/ports/calls.ts'
import { recoverAll } from '#core/telephone/call/takeover/end-lost-call.ts'
import { recoverParts, talkOutside } from '#test/routing/lost-calls.ts'
import { openExchange, outsideNumber, type Exchange } from '#test/routing/scripted-exchange.ts'
import { rescuing } from '#test/routing/second-process.ts'
import { CallSpans } from './call-spans.ts'

const theirs = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'vendor=1' }

/** Records spans. */
const newTracer = (): Tracer & { spans: Span[]; named(name: string): Span[] } => {
  const spans: Span[] = []
  return { spans, samples: () => true, notify: (span) => spans.push(span), named: (name) => spans.filter((span) => span.name === name) }
}

/** Replays the recorded changes to an observer. */
const watch = (tracer: Tracer, { changes }: Exchange): void => {
  const observer = new CallSpans(tracer)
  for (const [what, facts] of changes) observer.changed(facts, what as Parameters<CallSpans['changed']>[1])
}

const speaks = ({ body }: OutgoingEvent): Input[] => {
  if (body.type === 'session_start') return [{ type: 'speak', text: 'Good day, what can I do for you on this fine morning?' }]
  return body.type === 'user_speak' ? [{ type: 'speak', text: 'You said that' }] : []
}

const ms = ({ startedAt, endedAt }: Span): number => endedAt - startedAt

test('reports turns with the times of the timeline, from the greeting on', async (t) => {
  const tracer = newTracer()
  const { fixture, caller } = await openSession(t, { reply: speaks, tracer })
  await fixture.seconds(1)
  fixture.conversation.callerSays('one')
  await fixture.seconds(5)
  fixture.conversation.callerSays('two')
  await fixture.seconds(5)
  caller.hangsUp()
  await fixture.rest()
  const callId = fixture.channel.sent[0]?.sessionId ?? ''
  assert.deepEqual(
    tracer
      .named('turn')
      .map(({ spanId, attributes }) => [spanId, attributes['offhook.turn.interrupted'], attributes['offhook.turn.sounded']]),
    [
      [turnSpanId(callId, 0), undefined, true],
      [turnSpanId(callId, 1), true, true],
      [turnSpanId(callId, 2), false, true],
    ],
  )
  for (const [at, times] of fixture.turns.entries()) {
    const [turn, stt] = [tracer.named('turn')[at + 1], tracer.named('stt')[at]]
    assert.ok(turn && stt)
    assert.deepEqual([ms(turn), ms(stt), stt.parentId, stt.startedAt], [times.firstSoundMs, times.sttFinalMs, turn.spanId, turn.startedAt])
    assert.deepEqual(
      stt.events?.map((event) => event.at - stt.startedAt),
      [times.vadEndMs, times.endpointMs],
    )
    const [, ...sounds] = tracer.named('first_sound')
    assert.deepEqual(
      [sounds[at]?.endedAt, sounds[at] && ms(sounds[at])],
      [turn.endedAt, (times.firstSoundMs ?? 0) - (times.answeredMs ?? 0)],
    )
  }
  watch(tracer, fixture.exchange)
  const [call, setup] = [...tracer.named('call'), ...tracer.named('sip.setup')]
  assert.deepEqual(
    [call?.spanId, call?.parentId, call?.attributes['offhook.call.end.reason'], call?.error, setup?.parentId, setup?.startedAt],
    [callSpanId(callId), undefined, 'caller_hangup', undefined, call?.spanId, call?.startedAt],
  )
  for (const span of tracer.spans) {
    assert.equal(span.traceId, callId.replaceAll('-', ''))
    assert.ok(span.startedAt <= span.endedAt && call && span.startedAt >= call.startedAt && span.endedAt <= call.endedAt, span.name)
  }
})

test("keeps the originator's trace of a call that is taken over, and reports it once", async (t) => {
  const tracer = newTracer()
  const first = new SessionFixture(await openTestStore(t, 'sqlite'), { noted: true, tracer })
  t.after(() => first.close())
  first.endpoints.reply = speaks
  const customer = await first.newCustomer()
  await first.exchange.addTrunk()
  const callId = await callOut(first.exchange, customer, outsideNumber, undefined, theirs)
  first.exchange.phone.answers()
  await first.seconds(2)
  first.conversation.callerSays('one')
  await first.seconds(5)
  first.exchange.crash()
  const second = new SessionFixture(first.exchange.store, { noted: true, tracer, startAt: first.exchange.clock.now() })
  t.after(() => second.close())
  second.endpoints.reply = speaks
  const other = rescuing(first.exchange, second.exchange)
  await second.seconds(1.5)
  await other.takeOver()
  second.conversation.callerSays('two')
  await second.seconds(5)
  second.exchange.telephony.resumed[0]?.hangsUp()
  await second.rest()
  for (const { exchange } of [first, second]) watch(tracer, exchange)

  assert.deepEqual([...new Set(tracer.spans.map((span) => span.traceId))], ['0af7651916cd43dd8448eb211c80319c'])
  const [call, ...more] = tracer.named('call')
  assert.deepEqual([call?.spanId, call?.parentId, more], [callSpanId(callId), 'b7ad6b7169203331', []])
  assert.deepEqual(
    call?.events?.map(({ name }) => name),
    ['resumed'],
  )
  assert.equal(tracer.named('sip.setup').length, 1)
  assert.deepEqual(
    tracer.named('turn').map(({ attributes }) => attributes['offhook.turn']),
    [0, 1, 2],
  )
  const events = [...first.channel.sent, ...second.channel.sent, ...(await second.ends())]
  for (const event of events) assert.deepEqual(event.trace, theirs, event.body.type)
})

test('reports a call of a dead process from the process that ends it', async (t) => {
  const tracer = newTracer()
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  await talkOutside(exchange, await exchange.newCustomer())
  await exchange.seconds(42)
  watch(tracer, exchange)
  exchange.crash()
  const spans = new CallSpans(tracer)
  const parts = { ...recoverParts(exchange), onEnded: (call: CallFacts) => spans.lost(call) }
  await recoverAll(parts, 'another')
  await recoverAll(parts, 'a third')
  const [call, ...more] = tracer.named('call')
  assert.ok(call)
  assert.deepEqual([call.error, call.parentId, more, tracer.named('sip.setup').length], ['service_failure', undefined, [], 1])
  assert.equal(tracer.named('sip.setup')[0]?.parentId, call.spanId)
  assert.ok(ms(call) >= 40_000)
})

const note = (name: string, data: unknown): Input => ({ type: 'note', name, data })
const tool = { version: 3, name: 'book', arguments: '{"phone":"+4930123456"}', ms: 120 }
const request = { version: 3, model: 'small', server: 'api.mistral.ai', request: 'a secret', response: 'At nine.', totalMs: 300 }
/** An assistant that uses a model and tools for each turn. */
const works = ({ body }: OutgoingEvent): Input[] =>
  body.type === 'user_speak'
    ? [
        note('model', { ...request, attempt: 1, promptTokens: 40, completionTokens: 0, error: 'the server answered 503' }),
        note('model', { ...request, attempt: 2, promptTokens: 40, completionTokens: 7, finish: 'tool_calls', firstTokenMs: 180 }),
        note('tool', { ...tool, status: 'ok' }),
        note('tool', { ...tool, status: 'failed' }),
        note('something', {}),
      ]
    : []

const generative = ({ spans }: { spans: readonly Span[] }): Span[] =>
  spans.filter(({ attributes }) => 'gen_ai.operation.name' in attributes)

test('reports requests and tools of an assistant after the GenAI conventions, without words', async (t) => {
  const tracer = newTracer()
  const { fixture, caller } = await openSession(t, { reply: works, tracer, settings: { endpoint: 'assistant' } })
  const callId = fixture.channel.sent[0]?.sessionId ?? ''
  fixture.conversation.callerSays('one')
  await fixture.seconds(5)
  caller.hangsUp()
  await fixture.rest()
  const spans = generative(tracer)
  assert.deepEqual(
    spans.map(({ name, kind, parentId, error, ...span }) => [
      name,
      kind,
      parentId === turnSpanId(callId, 1),
      ms({ name, kind, ...span }),
      error,
    ]),
    [
      ['chat small', 'client', true, 300, 'model_failed'],
      ['chat small', 'client', true, 300, undefined],
      ['execute_tool book', 'internal', true, 120, undefined],
      ['execute_tool book', 'internal', true, 120, 'tool_failed'],
    ],
  )
  assert.deepEqual(spans[1]?.attributes, {
    'offhook.call.id': callId,
    'offhook.turn': 1,
    'offhook.flow.id': tracer.named('turn')[0]?.attributes['offhook.flow.id'],
    'gen_ai.conversation.id': callId,
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'mistral_ai',
    'gen_ai.request.model': 'small',
    'gen_ai.request.stream': true,
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.response.time_to_first_chunk': 0.18,
    'gen_ai.usage.input_tokens': 40,
    'gen_ai.usage.output_tokens': 7,
    'server.address': 'api.mistral.ai',
    'offhook.assistant.version': 3,
    'offhook.model.attempt': 2,
  })
  assert.doesNotMatch(JSON.stringify(spans), /4930123456|secret|At nine/)
})

test("reports no requests of a customer's endpoint that writes such notes", async (t) => {
  const tracer = newTracer()
  const { fixture, caller } = await openSession(t, { reply: works, tracer })
  fixture.conversation.callerSays('one')
  await fixture.seconds(5)
  caller.hangsUp()
  await fixture.rest()
  assert.equal(generative(tracer).length, 0)
})

test('reports no spans of an unsampled call', async (t) => {
  const tracer = { ...newTracer(), samples: () => false }
  const { fixture, caller } = await openSession(t, { reply: speaks, tracer })
  fixture.conversation.callerSays('one')
  await fixture.seconds(5)
  caller.hangsUp()
  await fixture.rest()
  watch(tracer, fixture.exchange)
  assert.deepEqual(tracer.spans, [])
})
