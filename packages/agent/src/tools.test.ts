import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyWebhook } from '@offhook/sdk'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { HttpRequest } from './outbound.ts'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import { agentScene } from './testing/agent-scene.ts'

type Tools = NonNullable<AssistantSettings['tools']>

const slots = {
  name: 'free_slots',
  description: 'Free appointments',
  url: 'http://tools.test/slots?tenant=7',
  parameters: {
    type: 'object',
    properties: { day: { type: 'string', enum: ['Monday', 'Tuesday'] } },
    required: ['day'],
    additionalProperties: false,
  },
  headers: [{ name: 'Authorization', value: 'Bearer hidden' }],
  before_text: 'One moment, I am looking that up.',
}

/** Customer's server that returns the answers in order. */
const elsewhere = (...answers: (Response | Error)[]) => {
  const asked: (HttpRequest & { url: string })[] = []
  const fetch = async (url: string, input: HttpRequest): Promise<Response> => {
    asked.push({ url, ...input })
    const answer = answers[asked.length - 1] ?? new Response('')
    if (answer instanceof Error) throw answer
    return answer
  }
  return { asked, fetch }
}

const toolMessages = (messages: { role: string; content: string | null }[] = []): string[] =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => (content ?? '').replace(/<\/?data-[0-9a-f]+>/g, ''))

test('runs an HTTP tool: signs the request, says the filler, passes the answer as data, and logs bytes without secrets', async () => {
  const server = elsewhere(Response.json({ free: ['10:00', '11:30'] }))
  const { call, model, settings, clock } = agentScene({
    assistant: { tools: { http: [slots] } },
    elsewhere: server.fetch,
    script: [
      { when: '^user', calls: [{ name: 'free_slots', arguments: { day: 'Monday' } }] },
      { when: '^tool', say: 'We have ten or half past eleven.' },
    ],
  })
  await call.start()
  await call.listen()
  await call.say('Is Monday free?')
  await call.answered()
  assert.deepEqual(call.written, ['One moment, I am looking that up.', 'We have ten or half past eleven.'])
  const [asked] = server.asked
  assert.ok(asked)
  const { url, method, headers, body = '' } = asked
  assert.equal(url, 'http://tools.test/slots?tenant=7')
  assert.equal(method, 'POST')
  const expected = {
    tool: 'free_slots',
    arguments: { day: 'Monday' },
    call: { id: 'call-1', from: '491570000001', to: '4930000000' },
    turn: 1,
  }
  assert.deepEqual(JSON.parse(body), expected)
  assert.ok(verifyWebhook({ headers, body }, settings.secrets, clock.now()))
  assert.equal(headers['x-event-id'], headers['webhook-id'])
  assert.equal(headers['authorization'], 'Bearer hidden')
  assert.deepEqual(toolMessages(model.last?.body.messages), ['{"free":["10:00","11:30"]}'])
  const [note] = call.notes('tool')
  assert.deepEqual([note?.['name'], note?.['status'], note?.['arguments']], ['free_slots', 'ok', '{"day":"Monday"}'])
  assert.match(String(note?.['request']), /authorization: \*\*\*/)
  assert.match(String(note?.['response']), /^200\n\{"free"/)
  assert.doesNotMatch(JSON.stringify(call.frames), /hidden/)
})

test('runs tools concurrently when the model calls them together', async () => {
  let open = 0
  let max = 0
  const waiting: (() => void)[] = []
  const fetch = async (): Promise<Response> => {
    max = Math.max(max, ++open)
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 2) waiting.forEach((go) => go())
    })
    open -= 1
    return Response.json({ ok: true })
  }
  const calls = [
    { name: 'free_slots', arguments: { day: 'Monday' } },
    { name: 'free_slots', arguments: { day: 'Tuesday' } },
  ]
  const { call, model } = agentScene({
    assistant: { tools: { http: [slots] } },
    elsewhere: fetch,
    script: [{ when: '^user', calls }, { say: 'Both are free.' }],
  })
  await call.start()
  await call.say('Monday or Tuesday?')
  await call.answered()
  assert.equal(max, 2)
  assert.equal(toolMessages(model.last?.body.messages).length, 2)
  assert.equal(call.written.at(-1), 'Both are free.')
})

const outcomes: [string, (Response | Error)[], Partial<typeof slots> & { idempotent?: boolean }, number, RegExp][] = [
  ['an error', [new Response('no such day', { status: 404 })], {}, 1, /the tool answered 404.*no such day/],
  ['a redirect', [new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } })], {}, 1, /answered 302/],
  ['too much', [new Response('x'.repeat(70_000))], {}, 1, /longer than 64 KiB/],
  ['no connection', [new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })], {}, 1, /ECONNREFUSED/],
  ['an error that may be repeated', [new Response('', { status: 503 }), Response.json({ free: [] })], { idempotent: true }, 2, /"free"/],
]
for (const [what, answers, more, requests, notified] of outcomes)
  test(`handles an HTTP tool that answers with ${what}`, async () => {
    const server = elsewhere(...answers)
    const { call, model } = agentScene({
      assistant: { tools: { http: [{ ...slots, ...more }] } },
      elsewhere: server.fetch,
      script: [{ when: '^user', calls: [{ name: 'free_slots', arguments: { day: 'Monday' } }] }, { say: 'Well.' }],
    })
    await call.start()
    await call.say('Monday?')
    await call.answered()
    assert.equal(server.asked.length, requests)
    assert.match(toolMessages(model.last?.body.messages)[0] ?? '', notified)
    assert.equal(call.written.at(-1), 'Well.')
  })

test('gives up on a tool that does not answer in time', async () => {
  const fetch = (_: string, { signal }: HttpRequest): Promise<Response> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  const { call, model } = agentScene({
    assistant: { tools: { http: [{ ...slots, timeout_ms: 800 }] } },
    elsewhere: fetch,
    script: [{ when: '^user', calls: [{ name: 'free_slots', arguments: { day: 'Monday' } }] }, { say: 'Sorry, later.' }],
  })
  await call.start()
  await call.say('Monday?')
  await call.answered(900)
  assert.match(toolMessages(model.last?.body.messages)[0] ?? '', /no answer within 800 ms/)
  assert.equal(call.written.at(-1), 'Sorry, later.')
})

test('sends the arguments of a GET tool in the query', async () => {
  const server = elsewhere(new Response('plain text'))
  const tool = { ...slots, method: 'GET' as const }
  const { call, model } = agentScene({
    assistant: { tools: { http: [tool] } },
    elsewhere: server.fetch,
    script: [{ when: '^user', calls: [{ name: 'free_slots', arguments: { day: 'Monday' } }] }, { say: 'Good.' }],
  })
  await call.start()
  await call.say('Monday?')
  await call.answered()
  assert.equal(server.asked[0]?.url, 'http://tools.test/slots?tenant=7&day=Monday')
  assert.equal(server.asked[0]?.body, undefined)
  assert.deepEqual(toolMessages(model.last?.body.messages), ['plain text'])
})

test('collects digits until the end key, the last digit, or a pause', async () => {
  const cases: [string[], Record<string, unknown>, unknown][] = [
    [['4', '7', '1', '1', '#'], {}, { digits: '4711' }],
    [['1', '2', '3'], { digits: 3 }, { digits: '123' }],
    [['5', '6'], {}, { digits: '56' }],
    [[], {}, 'The caller pressed nothing.'],
  ]
  for (const [keys, more, result] of cases) {
    const ask = 'Please enter your customer number.'
    const { call, model, clock } = agentScene({
      assistant: { tools: { collect_digits: { seconds: 5 } } },
      script: [{ when: '^user', calls: [{ name: 'collect_digits', arguments: { ask, ...more } }] }, { say: 'Thank you.' }],
    })
    await call.start()
    await call.listen()
    await call.say('My bill')
    await call.listen()
    const [question] = call.actions('speak').filter(({ text }) => text === ask)
    assert.equal(question?.expects, 'digits')
    for (const key of keys) await call.press(key)
    await clock.advance(5_000)
    const notified = toolMessages(model.last?.body.messages)[0]
    assert.equal(notified, typeof result === 'string' ? result : JSON.stringify(result))
    assert.equal(call.written.at(-1), 'Thank you.')
  }
})

const recordingOf = ({ frames }: { frames: readonly Action[] }): boolean[] =>
  frames.flatMap((action) => (action.type === 'recording' ? [action.paused] : []))

test('pauses the recording while digits of a card are collected, and notes none of them', async () => {
  const ask = 'Your card number, please.'
  const cases: { keys?: string; says?: string; hangsUp?: true; settings?: { card: true }; args?: { card: boolean }; paused: boolean[] }[] =
    [
      { keys: '4929000000006#', args: { card: true }, paused: [true, false] },
      { keys: '4929000000006#', settings: { card: true }, paused: [true, false] },
      { keys: '4929', args: { card: true }, paused: [true, false] }, // and then waits too long
      { says: 'four nine two nine', args: { card: true }, paused: [true, false] },
      { hangsUp: true, args: { card: true }, paused: [true, false] },
      { keys: '4929#', args: { card: false }, paused: [] },
      { keys: '4929#', paused: [] },
    ]
  for (const { keys, says, hangsUp, settings, args, paused } of cases) {
    const { call, model, clock } = agentScene({
      assistant: { tools: { collect_digits: { seconds: 5, ...settings } } },
      script: [{ when: 'pay', calls: [{ name: 'collect_digits', arguments: { ask, ...args } }] }, { say: 'Thank you.' }],
    })
    await call.start()
    await call.listen()
    await call.say('I want to pay')
    const asked = call.frames.findIndex((action) => action.type === 'speak' && action.text === ask)
    assert.deepEqual(recordingOf({ frames: call.frames.slice(0, asked) }), paused.slice(0, 1), 'paused before the question')
    if (hangsUp) await call.hangUp()
    else await call.listen()
    if (keys !== undefined) await call.press(keys)
    if (says !== undefined) await call.say(says)
    await clock.advance(5_000)
    if (!hangsUp) await call.answered()
    assert.deepEqual(recordingOf(call), paused)
    if (hangsUp) continue
    assert.match(JSON.stringify(model.last?.body.messages), /4929|four nine two nine/, 'the model gets them')
    await call.hangUp()
    const noted = JSON.stringify(call.actions('note').slice(-3))
    if (paused.length > 0) assert.doesNotMatch(noted, /4929|four nine/)
    else assert.match(noted, /4929/)
    const summarised = JSON.stringify(model.last?.body.messages)
    if (paused.length > 0) assert.doesNotMatch(summarised, /4929|four nine/, 'nor is a summary made of them')
  }
})

test('accepts a number that the caller speaks instead of pressing keys', async () => {
  const { call, model } = agentScene({
    assistant: { tools: { collect_digits: {} } },
    script: [{ when: 'bill', calls: [{ name: 'collect_digits', arguments: { ask: 'Your number?' } }] }, { say: 'Thank you.' }],
  })
  await call.start()
  await call.say('My bill')
  await call.listen()
  await call.say('four seven one one')
  await call.answered()
  assert.deepEqual(toolMessages(model.last?.body.messages), ['The caller went on before this was finished.'])
  assert.match(model.last?.body.messages.at(-1)?.content ?? '', /four seven one one/)
  assert.equal(call.written.at(-1), 'Thank you.')
})

test('sends a message and an SMS to the service, up to the allowed count', async () => {
  const tools: Tools = { take_message: {}, send_sms: { templates: [{ name: 'address', text: 'We are at {street}.' }], per_call: 1 } }
  const sms = { name: 'send_sms', arguments: { template: 'address', fields: { street: 'Main Street 1', more: 'x' } } }
  const { call, host, model } = agentScene({
    assistant: { tools },
    script: [
      { when: 'message', calls: [{ name: 'take_message', arguments: { name: 'Ann', text: 'Call me' } }, sms, sms] },
      { when: 'again', calls: [{ name: 'send_sms', arguments: { template: 'address', fields: {} } }] },
      { say: 'Done.' },
    ],
  })
  await call.start()
  await call.say('Take a message and send me the address')
  await call.answered()
  assert.deepEqual(host.messages, [{ name: 'Ann', text: 'Call me' }])
  assert.deepEqual(host.sms, [{ template: 'address', fields: { street: 'Main Street 1' } }])
  assert.match(toolMessages(model.last?.body.messages)[2] ?? '', /No more than 1/)
  await call.say('again')
  await call.answered()
  assert.match(toolMessages(model.last?.body.messages).at(-1) ?? '', /all its fields/)
  assert.equal(host.sms.length, 1)
})

test('transfers by name with the configured mode; lets the model continue after a failure', async () => {
  const tools: Tools = { transfer: [{ name: 'sales', target: '+493012345', when: 'they want to buy', mode: 'warm' }] }
  const { call, model } = agentScene({
    assistant: { tools },
    script: [
      { when: 'buy', say: 'I connect you.', calls: [{ name: 'transfer', arguments: { to: 'sales', about: 'Wants a cake.' } }] },
      { when: 'could not be connected', say: 'Nobody is there. Shall I take a message?' },
    ],
    transfer: () => 'no_answer',
  })
  await call.start()
  await call.say('I want to buy a cake')
  await call.listen()
  const [{ target, mode, briefing } = {} as Record<string, unknown>] = call.actions('transfer')
  assert.deepEqual([target, mode, briefing], ['+493012345', 'warm', 'Wants a cake.'])
  assert.doesNotMatch(JSON.stringify(model.last?.body), /493012345/)
  assert.match(model.last?.body.messages.at(-1)?.content ?? '', /sales \(no_answer\)/)
  assert.equal(call.written.at(-1), 'Nobody is there. Shall I take a message?')
})

test('looks up knowledge and cites it', async () => {
  const passage = { documentId: 'd1', document: 'Menu', heading: 'Soups', page: 2, text: 'Carrot soup 7 euros', score: 3.2 }
  const asked = agentScene({
    assistant: { knowledge: { use: 'tool', passages: 2 } },
    script: [{ when: '^user', calls: [{ name: 'look_up', arguments: { query: 'soup price' } }] }, { say: 'Seven euros.' }],
  })
  asked.host.passages = [passage]
  await asked.call.start()
  await asked.call.say('How much is the soup?')
  await asked.call.answered()
  assert.match(toolMessages(asked.model.last?.body.messages)[0] ?? '', /Menu, Soups, page 2: Carrot soup 7 euros/)
  assert.deepEqual(asked.call.notes('knowledge')[0]?.['passages'], [passage])
  const always = agentScene({ assistant: { knowledge: { use: 'always' } }, script: [{ say: 'Seven euros.' }] })
  always.host.passages = [passage]
  await always.call.start()
  await always.call.say('How much is the soup?')
  await always.call.answered()
  assert.match(always.model.last?.body.messages.at(-1)?.content ?? '', /<data-\w+>Menu.*<\/data-\w+>\n<caller-\w+>How much/)
  assert.equal(always.call.notes('knowledge').length, 1)
})

test('postpones the hang-up when another tool call failed', async () => {
  const { call, host, model } = agentScene({
    assistant: { tools: { take_message: {} } },
    script: [
      { when: '^user', calls: [{ name: 'take_message', arguments: { text: 'x' } }, { name: 'hang_up' }] },
      { say: 'Sorry, I could not note that.' },
    ],
  })
  host.outcome = { refused: 'There is no room.' }
  await call.start()
  await call.say('Note that, and goodbye')
  await call.answered()
  assert.equal(call.actions('hangup').length, 0)
  assert.match(toolMessages(model.last?.body.messages)[1] ?? '', /Not done/)
  assert.equal(call.written.at(-1), 'Sorry, I could not note that.')
})

test('stops a model that calls tools endlessly', async () => {
  const { call, model } = agentScene({
    assistant: { limits: { tool_rounds: 2 }, knowledge: { use: 'tool' } },
    script: [{ calls: [{ name: 'look_up', arguments: { query: 'x' } }] }],
  })
  await call.start()
  await call.say('Hello')
  await call.answered()
  assert.equal(model.requests.length, 3)
  assert.equal(model.last?.body.tools, undefined)
  assert.match(call.written.at(-1) ?? '', /^Sorry/)
})

test('asks the service for times and bookings, and refuses wrong arguments', async () => {
  const wrong = ['find_times', 'hold_time', 'book_time', 'move_booking', 'cancel_booking'].map((name) => ({
    name,
    arguments: { start: 'noon' },
  }))
  for (const [tool, input, request] of [
    ['find_times', { service: 'check', part: 'afternoon' }, { do: 'find', service: 'check', part: 'afternoon' }],
    ['hold_time', { start: '2026-11-16T12:00' }, { do: 'hold', start: '2026-11-16T12:00' }],
    ['book_time', { name: 'Grace' }, { do: 'book', name: 'Grace' }],
    ['my_bookings', {}, { do: 'list' }],
    ['move_booking', { booking: 'b1', start: '2026-11-16T12:00' }, { do: 'move', booking: 'b1', start: '2026-11-16T12:00' }],
    ['cancel_booking', { booking: 'b1' }, { do: 'cancel', booking: 'b1' }],
  ] as const) {
    const { call, host, model } = agentScene({
      assistant: { tools: { calendar: { calendar: 'c1' } } },
      script: [{ when: '^user', calls: [{ name: tool, arguments: input }, ...wrong] }, { say: 'Well.' }],
    })
    host.calendarAnswer = { done: { say: 'tomorrow, Monday, at 12 pm' } }
    await call.start()
    await call.listen()
    await call.say('I need an appointment.')
    await call.answered()
    assert.deepEqual(JSON.parse(JSON.stringify(host.booked)), [request])
    assert.equal(toolMessages(model.last?.body.messages)[0], '{"say":"tomorrow, Monday, at 12 pm"}')
    assert.deepEqual(
      call.notes('tool').map(({ status }) => status),
      ['ok', 'refused', 'refused', 'refused', 'refused', 'refused'],
    )
  }
})

test('offers no tool to change bookings if the settings forbid it', async () => {
  const { call, host, model } = agentScene({
    assistant: { tools: { calendar: { calendar: 'c1', changes: 'off' } } },
    script: [{ when: '^user', calls: [{ name: 'cancel_booking', arguments: { booking: 'b1' } }] }, { say: 'I cannot do that.' }],
  })
  await call.start()
  await call.listen()
  await call.say('Cancel everything.')
  await call.answered()
  assert.deepEqual(host.booked, [])
  assert.match(toolMessages(model.last?.body.messages)[0] ?? '', /There is no tool cancel_booking/)
})
