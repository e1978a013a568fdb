import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { GatewayFailure, type ForeignRequest } from '../gateway.ts'
import { foreignWorld, session } from '../testing/foreign-world.ts'

const url = 'https://shop.example/voice?shop=1'
const twiml = (verbs: string) => ({
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(`<?xml version="1.0"?><Response>${verbs}</Response>`),
})

/** A server that answers with one document after the other. */
const callOf = async (...documents: string[]) => {
  const world = foreignWorld({ protocol: 'twilio', url, secret: 'token' }, { answer: () => twiml(documents.shift() ?? '') })
  await world.notify({ type: 'session_start', turn: 0 })
  const ended = () => world.acted.flatMap((action) => (action.type === 'speak' && action.last ? [action.stream_id] : [])).at(-1)
  /** The caller has heard everything. */
  const heard = () => world.notify({ type: 'assistant_speech_ended', completed: true, heard_ms: 900, stream_id: ended() })
  return { ...world, heard }
}

const formOf = ({ body = '' }: Pick<ForeignRequest, 'body'>): Record<string, string> => Object.fromEntries(new URLSearchParams(body))
const last = <T>(list: readonly T[]): T => list.at(-1) ?? assert.fail('there is none')

test('requests the webhook as Twilio does, with a signature that its library accepts', async () => {
  const { requests } = await callOf('<Say>Hello.</Say>')
  const request = last(requests)
  const form = formOf(request)
  assert.deepEqual(
    [request.method, request.url, form.From, form.To, form.CallStatus, form.Direction],
    ['POST', url, '+491570000001', '+4930111111', 'ringing', 'inbound'],
  )
  assert.equal(form.CallSid, `CA${session.id.replaceAll('-', '')}`)
  const signed =
    url +
    Object.keys(form)
      .toSorted()
      .map((name) => name + form[name])
      .join('')
  assert.equal(request.headers['x-twilio-signature'], createHmac('sha1', 'token').update(signed).digest('base64'))
})

test('says texts one after the other without barge-in, then hangs up', async () => {
  const call = await callOf(
    '<Say language="de-DE">Guten\n Tag.</Say><Play>https://shop.example/a.wav</Play><Say>I <emphasis>am</emphasis> &amp; stay</Say>',
  )
  const barge_in = { strategy: 'none' }
  assert.deepEqual(call.acted, [
    { type: 'speak', stream_id: 's1', last: true, text: 'Guten Tag.', tts: { language: 'de-DE' }, barge_in },
    { type: 'done' },
  ])
  await call.heard()
  assert.deepEqual(call.acted.at(-1), {
    type: 'speak',
    stream_id: 's2',
    last: true,
    ssml: '<speak><audio src="https://shop.example/a.wav"/></speak>',
    barge_in,
  })
  await call.heard()
  assert.deepEqual(call.acted.at(-1), {
    type: 'speak',
    stream_id: 's3',
    last: true,
    ssml: '<speak>I <emphasis>am</emphasis> &amp; stay</speak>',
    barge_in,
  })
  await call.heard()
  assert.deepEqual(call.acted.at(-1), { type: 'hangup' })
})

test('gathers speech during the prompt and sends it to the action', async () => {
  const gather =
    '<Gather input="speech dtmf" action="/heard" language="en-GB" hints="carrot, soup"><Say>What would you like?</Say></Gather>'
  const call = await callOf(gather, '<Say>Soup it is.</Say>')
  assert.deepEqual(call.acted.slice(0, 2), [
    { type: 'configure_transcription', languages: ['en-GB'], custom_vocabulary: ['carrot', 'soup'] },
    { type: 'speak', stream_id: 's1', last: true, text: 'What would you like?' },
  ])
  await call.notify({ type: 'user_speak', turn: 1, text: 'Soup', barged_in: true, confidence: 0.8 })
  const request = last(call.requests)
  const { SpeechResult, Confidence, CallStatus } = formOf(request)
  assert.deepEqual([request.url, SpeechResult, Confidence, CallStatus], ['https://shop.example/heard', 'Soup', '0.8', 'in-progress'])
  assert.ok(call.spoken().endsWith('Soup it is.'))
  assert.equal(call.clock.pending(), 0)
})

test('gathers keys up to their number or the finish key', async () => {
  const call = await callOf(
    '<Gather numDigits="2" action="https://shop.example/a" method="GET"><Say>Two digits.</Say></Gather>',
    '<Gather action="/b"/>',
    '',
  )
  await call.notify({ type: 'dtmf_received', turn: 0, digit: '4' })
  assert.equal(call.types().at(-1), 'barge_in', 'the question need not be heard to its end')
  await call.notify({ type: 'dtmf_received', turn: 0, digit: '2' })
  const asked = new URL(last(call.requests).url)
  assert.deepEqual([last(call.requests).method, asked.searchParams.get('Digits')], ['GET', '42'])
  for (const digit of ['1', '2', '3', '#']) await call.notify({ type: 'dtmf_received', turn: 0, digit })
  const { Digits, FinishedOnKey } = formOf(last(call.requests))
  assert.deepEqual([Digits, FinishedOnKey], ['123', '#'])
  assert.equal(call.types().at(-1), 'hangup')
})

test("ends a gather after the document's timeout without input", async () => {
  const call = await callOf('<Gather input="speech" timeout="3"><Say>Well?</Say></Gather><Redirect>/again</Redirect>', '<Hangup/>')
  await call.clock.advance(10_000)
  assert.equal(call.requests.length, 1, 'it is still being asked')
  await call.heard()
  await call.clock.advance(2_900)
  assert.equal(call.requests.length, 1)
  await call.clock.advance(100)
  assert.equal(last(call.requests).url, 'https://shop.example/again')
  assert.equal(call.types().at(-1), 'hangup')
})

test('does not cut off a caller who has started to speak at the timeout', async () => {
  const call = await callOf('<Gather input="speech" timeout="2" action="/x"/>', '')
  await call.clock.advance(1_900)
  await call.notify({ type: 'user_speech_started', turn: 0 })
  await call.clock.advance(5_000)
  await call.notify({ type: 'user_speak', turn: 1, text: 'A long one', barged_in: false })
  assert.equal(formOf(last(call.requests)).SpeechResult, 'A long one')
})

test('waits for the pause and sends done for speech during it', async () => {
  const call = await callOf('<Pause length="4"/><Say>Still there?</Say>')
  await call.notify({ type: 'user_speak', turn: 1, text: 'Yes', barged_in: false })
  assert.deepEqual(call.types(), ['done', 'done'])
  await call.clock.advance(4_000)
  assert.equal(call.spoken(), 'Still there?')
})

test('dials as a transfer and reports its failure to the action', async () => {
  const call = await callOf(
    '<Dial callerId="+4930111111" action="/after"><Number>+49 30 222222</Number></Dial>',
    '<Say>Nobody is there.</Say>',
  )
  assert.deepEqual(call.acted[0], { type: 'transfer', target: '+49 30 222222', caller_id_number: '+4930111111' })
  await call.notify({ type: 'transfer_failed', turn: 0, target: '+4930222222', cause: 'no_answer' })
  assert.equal(formOf(last(call.requests)).DialCallStatus, 'no-answer')
  assert.equal(call.spoken(), 'Nobody is there.')
})

test('names unsupported verbs and runs the rest', async () => {
  const call = await callOf(
    '<Record/><Dial><Conference>x</Conference></Dial><Connect><Stream url="wss://x"/></Connect><Play digits="1w2"/>',
  )
  assert.deepEqual(
    call.problems.map((problem) => /<\w+>/.exec(problem)?.[0]),
    ['<Record>', '<Dial>', '<Connect>'],
  )
  assert.deepEqual(call.acted, [{ type: 'done' }, { type: 'send_dtmf', digits: '1w2' }, { type: 'hangup' }])
})

test('hands over to a ConversationRelay server and sends its handoff data to the action', async () => {
  const relay =
    '<ConversationRelay url="wss://shop.example/relay" welcomeGreeting="Hi!" language="en-GB" dtmfDetection="true"><Parameter name="shop" value="1"/></ConversationRelay>'
  const call = await callOf(`<Connect action="/done">${relay}</Connect>`, '<Dial>+4930222222</Dial>')
  const line = call.line()
  assert.equal(line.wish.url, 'wss://shop.example/relay')
  assert.deepEqual(line.told[0]?.customParameters, { shop: '1' })
  assert.equal(call.spoken(), 'Hi!')
  await call.notify({ type: 'user_speak', turn: 1, text: 'A human, please', barged_in: false })
  assert.deepEqual(line.told.at(-1), { type: 'prompt', voicePrompt: 'A human, please', lang: 'en-GB', last: true })
  await call.clock.advance(7_000)
  line.say({ type: 'end', handoffData: '{"reason":"human"}' })
  await call.clock.advance(0)
  const { SessionStatus, HandoffData, SessionDuration } = formOf(last(call.requests))
  assert.deepEqual(
    [last(call.requests).url, SessionStatus, HandoffData, SessionDuration],
    ['https://shop.example/done', 'ended', '{"reason":"human"}', '7'],
  )
  assert.deepEqual(call.acted.at(-1), { type: 'transfer', target: '+4930222222' })
})

test('notifies the server and the action when the caller hangs up', async () => {
  const call = await callOf('<Connect action="/done"><ConversationRelay url="wss://shop.example/relay"/></Connect>')
  await call.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup' })
  const { SessionStatus, CallStatus } = formOf(last(call.requests))
  assert.deepEqual([SessionStatus, CallStatus, call.line().closed], ['completed', 'completed', true])
})

test('rejects on a failed first document, reports a later one as lost', async () => {
  const first = foreignWorld({ protocol: 'twilio', url }, { answer: () => ({ status: 500, headers: {}, body: Buffer.from('x') }) })
  await assert.rejects(
    first.notify({ type: 'session_start', turn: 0 }),
    (error) => error instanceof GatewayFailure && error.end.status === 500,
  )
  const documents = [twiml('<Redirect>/next</Redirect>'), { status: 500, headers: {}, body: Buffer.from('x') }]
  const later = foreignWorld({ protocol: 'twilio', url }, { answer: () => documents.shift() ?? assert.fail() })
  await later.notify({ type: 'session_start', turn: 0 })
  assert.deepEqual(later.lost, [{ message: 'The endpoint answered 500 instead of TwiML', final: true }])
})

test('stops at a redirect loop', async () => {
  const call = foreignWorld({ protocol: 'twilio', url }, { answer: () => twiml('<Redirect/>') })
  await call.notify({ type: 'session_start', turn: 0 })
  await call.clock.advance(0)
  assert.equal(call.requests.length, 21)
  assert.deepEqual(call.lost, [{ message: 'The TwiML leads in a circle', final: true }])
})

for (const [what, document] of [
  ['an entity', '<!DOCTYPE x [<!ENTITY a "b">]><Response><Say>&a;</Say></Response>'],
  ['an unknown entity', '<Response><Say>&a;</Say></Response>'],
  ['something that does not end', '<Response><Say>'],
  ['another document', '<html></html>'],
  ['no document', 'Hello'],
  ['too many elements', `<Response>${'<Hangup/>'.repeat(600)}</Response>`],
] as const)
  test(`rejects ${what} with a reason`, async () => {
    const body = Buffer.from(document)
    const call = foreignWorld({ protocol: 'twilio', url }, { answer: () => ({ status: 200, headers: {}, body }) })
    await assert.rejects(
      call.notify({ type: 'session_start', turn: 0 }),
      (error) => error instanceof GatewayFailure && error.end.final === true,
    )
    assert.match(call.problems[0] ?? '', /^The TwiML cannot be read: ./)
  })
