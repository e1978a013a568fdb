import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ForeignRequest } from './gateway.ts'
import { foreignWorld } from './testing/foreign-world.ts'

const chunk = (delta: object, finish_reason: string | null = null) => `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`

/** Answers each request with these bytes, split in the middle. */
const callOf = (...answers: (string | number)[]) => {
  const world = foreignWorld(
    { protocol: 'vapi', url: 'https://llm.example/api', apiKey: 'key', transferTargets: ['+4930222222'] },
    {
      answer: ({ onBytes }: ForeignRequest) => {
        const next = answers.shift() ?? ''
        if (typeof next === 'number') return { status: next, headers: {}, body: Buffer.from('no') }
        const body = Buffer.from(next)
        onBytes?.(body.subarray(0, 30))
        onBytes?.(body.subarray(30))
        return { status: 200, headers: {}, body }
      },
    },
  )
  return world
}

interface Body {
  messages: { role: string; content: string }[]
  stream: boolean
  tools: { function: { name: string; parameters: { properties: { destination?: { enum: string[] } } } } }[]
  call: { customer: { number: string } }
}
const bodyOf = (request: ForeignRequest | undefined): Body => JSON.parse(request?.body ?? '{}') as Body

test('requests a chat completion per turn, with the heard transcript', async () => {
  const call = callOf(
    chunk({ content: 'Hello, ' }) + chunk({ content: 'this is Ada.' }, 'stop') + 'data: [DONE]\n\n',
    chunk({ content: 'Nine to five.' }),
  )
  await call.notify({ type: 'session_start', turn: 0 })
  const [request] = call.requests
  const { messages, stream, tools, call: metadata } = bodyOf(request)
  assert.deepEqual([request?.url, request?.headers.authorization, stream], ['https://llm.example/api/chat/completions', 'Bearer key', true])
  assert.deepEqual([messages.map(({ role }) => role), metadata.customer.number], [['system'], '+491570000001'])
  assert.match(messages[0]?.content ?? '', /Greet/)
  assert.deepEqual(
    tools.map(({ function: { name, parameters } }) => [name, parameters.properties.destination?.enum]),
    [
      ['endCall', undefined],
      ['transferCall', ['+4930222222']],
    ],
  )
  assert.equal(call.spoken(), 'Hello, this is Ada.')
  assert.deepEqual(call.acted.at(-1), { type: 'done', turn: 0 })
  await call.notify({ type: 'assistant_speak', turn: 0, text: 'Hello, this is Ada.', heard_text: 'Hello,', duration_ms: 200 })
  await call.notify({ type: 'user_speak', turn: 1, text: 'When are you open?', barged_in: true })
  assert.deepEqual(bodyOf(call.requests[1]).messages.slice(1), [
    { role: 'assistant', content: 'Hello,' },
    { role: 'user', content: 'When are you open?' },
  ])
  assert.ok(call.spoken().endsWith('Nine to five.'))
})

test('sends text before a <flush /> at once', async () => {
  const call = callOf(
    chunk({ content: 'Good morning, this is Ada. ' }) + chunk({ content: 'I look <flush />' }) + chunk({ content: 'here it is' }),
  )
  await call.notify({ type: 'session_start', turn: 0 })
  const texts = call.acted.flatMap((action) => (action.type === 'speak' ? [action.text] : []))
  assert.deepEqual(texts, ['Good morning, this is Ada. ', 'I look <flush />', 'here it is'])
})

const transfer = '{"destination":"+4930222222"}'
for (const [how, answer] of [
  [
    'a chunk beside the choices',
    `data: ${JSON.stringify({ function_call: { name: 'transferCall', arguments: JSON.parse(transfer) as object } })}\n\n`,
  ],
  [
    'a tool call in pieces',
    chunk({ tool_calls: [{ index: 0, function: { name: 'transferCall', arguments: transfer.slice(0, 9) } }] }) +
      chunk({ tool_calls: [{ index: 0, function: { arguments: transfer.slice(9) } }] }, 'tool_calls'),
  ],
  ['a function call', chunk({ function_call: { name: 'transferCall', arguments: transfer } })],
  [
    'an answer that is not streamed',
    JSON.stringify({ choices: [{ message: { content: '', tool_calls: [{ function: { name: 'transferCall', arguments: transfer } }] } }] }),
  ],
] as const)
  test(`transfers as ${how}`, async () => {
    const call = callOf(answer)
    await call.notify({ type: 'user_speak', turn: 1, text: 'A human', barged_in: false })
    assert.deepEqual(call.acted, [
      { type: 'transfer', target: '+4930222222', turn: 1 },
      { type: 'done', turn: 1 },
    ])
  })

test('hangs up after the speech and names unknown functions', async () => {
  const call = callOf(
    chunk({ content: 'Bye.' }) +
      chunk({
        tool_calls: [
          { index: 0, function: { name: 'endCall', arguments: '{}' } },
          { index: 1, function: { name: 'dance', arguments: '{}' } },
        ],
      }),
  )
  await call.notify({ type: 'user_speak', turn: 1, text: 'Bye', barged_in: false })
  assert.deepEqual(call.types(), ['speak', 'speak', 'hangup', 'done'])
  assert.match(call.problems[0] ?? '', /dance/)
})

test('aborts a request when the caller continues; reports a failure as no answer', async () => {
  let answer: (text: string) => void = () => {}
  const signals: (AbortSignal | undefined)[] = []
  const world = foreignWorld(
    { protocol: 'vapi', url: 'https://llm.example/v1/chat/completions' },
    {
      answer: ({ signal, onBytes, url }) => {
        assert.equal(url, 'https://llm.example/v1/chat/completions')
        signals.push(signal)
        return new Promise((resolve) => {
          answer = (text) => {
            onBytes?.(Buffer.from(text))
            resolve({ status: 200, headers: {}, body: Buffer.alloc(0) })
          }
        })
      },
    },
  )
  await world.notify({ type: 'user_speak', turn: 1, text: 'a', barged_in: false })
  const late = answer
  await world.notify({ type: 'user_speak', turn: 2, text: 'b', barged_in: false })
  assert.deepEqual(
    signals.map((signal) => signal?.aborted),
    [true, false],
  )
  late(chunk({ content: 'Too late.' }))
  answer(chunk({ content: 'In time.' }))
  await world.clock.advance(0)
  assert.equal(world.spoken(), 'In time.')
  const failing = callOf(500)
  await failing.notify({ type: 'session_start', turn: 0 })
  assert.deepEqual(failing.failures, ['The custom LLM answered 500'])
})

test('accepts an answer with 201', async () => {
  const body = Buffer.from(JSON.stringify({ choices: [{ delta: { content: 'Hello.' } }] }))
  const world = foreignWorld(
    { protocol: 'vapi', url: 'https://llm.example/api' },
    {
      answer: ({ onBytes }) => {
        onBytes?.(body)
        return { status: 201, headers: {}, body }
      },
    },
  )
  await world.notify({ type: 'session_start', turn: 0 })
  assert.deepEqual([world.spoken(), world.failures], ['Hello.', []])
})
