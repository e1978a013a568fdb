import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { unreachable, type Input } from '#test/session/scripted-endpoint.ts'
import { openSession, SessionFixture } from '#test/session/session-fixture.ts'
import { rescuing } from '#test/routing/second-process.ts'

interface Inputs {
  settings?: FlowSettings
  reply?: (event: OutgoingEvent) => Input[] | Promise<Input[]>
  duplex?: boolean
  /** Runs in the first process before it dies. */
  before?: (first: SessionFixture) => Promise<void>
  /** The caller's phone has no call when the second process asks. */
  hangsUp?: boolean
}

/** A session whose process dies and which another one takes over. */
const resumed = async (t: TestContext, inputs: Inputs = {}) => {
  const { second, ...others } = await takenOver(t, inputs)
  return { ...others, second, leg: second.exchange.telephony.resumed[0] ?? assert.fail('not resumed') }
}

const takenOver = async (
  t: TestContext,
  { settings = {}, reply = () => [], duplex = false, before = async () => {}, hangsUp = false }: Inputs,
) => {
  const { fixture: first, customer, caller } = await openSession(t, { settings, reply, duplex, noted: true })
  await first.seconds(2)
  await before(first)
  first.exchange.crash()
  const second = new SessionFixture(first.exchange.store, { noted: true, startAt: first.exchange.clock.now() })
  t.after(() => second.close())
  second.endpoints.reply = reply
  second.endpoints.duplex = duplex
  const other = rescuing(first.exchange, second.exchange)
  if (hangsUp) second.exchange.telephony.notResumed.set(caller.id, 'hung_up')
  await second.seconds(1.5)
  await other.takeOver()
  return { first, second, customer, caller, assertClean: () => other.assertClean() }
}

const echoes = ({ body }: OutgoingEvent): Input[] => (body.type === 'user_speak' ? [{ type: 'speak', text: `You said ${body.text}` }] : [])

test('resumes the same session with later sequence numbers and one session_end', async (t) => {
  const { first, second, customer, leg, assertClean } = await resumed(t, {
    reply: echoes,
    before: async (process) => {
      process.conversation.callerSays('one')
      await process.seconds(5)
    },
  })
  const known = first.channel.sent.map(({ sequence }) => sequence)
  assert.equal(second.channel.sent.length, 0, 'nothing new for an endpoint that does not ask for more')
  second.conversation.callerSays('two')
  await second.seconds(5)
  assert.deepEqual(second.conversation.log, ['say You said two'])
  assert.deepEqual(second.channel.types, ['user_speak', 'assistant_speak'])
  const [said] = second.channel.sent
  assert.equal(said?.sessionId, first.channel.sent[0]?.sessionId)
  assert.equal(said?.turn, 2)
  assert.ok((said?.sequence ?? 0) >= Math.max(...known) + 100)
  leg.hangsUp()
  await second.rest()
  const ends = await second.ends()
  assert.deepEqual(
    ends.map(({ body }) => body.type === 'session_end' && body.reason),
    ['caller_hangup'],
  )
  assert.ok((ends[0]?.sequence ?? 0) > (second.channel.sent.at(-1)?.sequence ?? 0))
  assert.equal((await second.exchange.entry(customer)).detail.callStatus, 'SUCCESS')
  await assertClean()
})

test('ends the session as the caller did who hung up during the takeover', async (t) => {
  const { second, customer, assertClean } = await takenOver(t, { hangsUp: true })
  const ends = await second.ends()
  assert.deepEqual(
    ends.map(({ body }) => body.type === 'session_end' && body.reason),
    ['caller_hangup'],
  )
  assert.equal((await second.exchange.entry(customer)).detail.callStatus, 'SUCCESS')
  await assertClean()
})

test('reports interrupted speech without repeating it, and sends session_resumed if requested', async (t) => {
  const { second, first, leg } = await resumed(t, {
    settings: { extendedEvents: ['session_resumed', 'assistant_speech_ended'] },
    reply: ({ body }) =>
      body.type === 'session_start' ? [{ type: 'speak', text: 'A long greeting that goes on and on and does not end soon' }] : [],
  })
  assert.deepEqual(second.conversation.log, [])
  assert.deepEqual(second.channel.types, ['assistant_speak', 'assistant_speech_ended', 'session_resumed'])
  const [resumption] = second.channel.ofType('session_resumed')
  assert.equal(resumption?.interrupted_event_id, first.channel.sent[0]?.id)
  assert.equal(resumption?.sequence, first.channel.sent.at(-1)?.sequence)
  assert.ok((resumption?.lost_ms ?? 0) >= 1_000 && (resumption?.lost_ms ?? 0) <= 3_000)
  assert.equal(second.channel.ofType('assistant_speech_ended')[0]?.completed, false)
  leg.hangsUp()
  await second.rest()
})

for (const duplex of [false, true])
  test(`resends an unanswered turn with its id, ${duplex ? 'WebSocket' : 'webhook'}`, async (t) => {
    let asked = 0
    const { second, first, leg } = await resumed(t, {
      duplex,
      reply: (event) => {
        if (event.body.type !== 'user_speak') return []
        asked++
        return asked === 1 ? new Promise<Input[]>(() => {}) : echoes(event)
      },
      before: async (process) => {
        process.conversation.callerSays('help')
        await process.seconds(1)
      },
    })
    const [again] = second.channel.sent
    const sent = first.channel.sent.find(({ body }) => body.type === 'user_speak')
    assert.deepEqual([again?.id, again?.sequence, again?.turn], [sent?.id, sent?.sequence, sent?.turn])
    leg.hangsUp()
    await second.rest()
  })

for (const duplex of [false, true])
  test(`plays a filler after a takeover while an answer is pending, ${duplex ? 'WebSocket' : 'webhook'}`, async (t) => {
    const answers: ((inputs: Input[]) => void)[] = []
    const { second, leg } = await resumed(t, {
      settings: { language: 'en-GB' },
      duplex,
      reply: ({ body }) => (body.type === 'user_speak' ? new Promise<Input[]>((resolve) => answers.push(resolve)) : []),
      before: async (process) => {
        process.conversation.callerSays('help')
        await process.seconds(2)
      },
    })
    await second.seconds(1.2)
    assert.deepEqual(second.conversation.log, ['fill Just a second.'])
    answers.at(-1)?.([{ type: 'speak', text: 'Here I am' }])
    await second.seconds(3)
    assert.equal(second.conversation.log.at(-1), 'say Here I am')
    leg.hangsUp()
    await second.rest()
  })

test('sends a turn delayed by its preview after a takeover, without a new preview', async (t) => {
  const { first, second, leg } = await resumed(t, {
    settings: { extendedEvents: ['user_speak_preview', 'user_speak_revoked'] },
    reply: (event) => (event.body.type === 'user_speak_preview' ? new Promise<Input[]>(() => {}) : echoes(event)),
    before: async (process) => {
      process.conversation.callerPauses('help')
      await process.seconds(0.2)
      process.conversation.callerSays('help')
      await process.seconds(0.6)
    },
  })
  assert.deepEqual(first.channel.ofType('user_speak'), [])
  await second.seconds(1)
  assert.deepEqual(second.channel.types.slice(0, 1), ['user_speak'])
  assert.equal(second.channel.ofType('user_speak')[0]?.previewed, undefined)
  assert.deepEqual(second.conversation.log, ['say You said help'])
  leg.hangsUp()
  await second.rest()
})

test('performs the pending hang-up after a takeover', async (t) => {
  const { second, leg, assertClean } = await resumed(t, {
    reply: ({ body }) =>
      body.type === 'session_start'
        ? [{ type: 'speak', text: 'Goodbye, and thank you very much for calling us today' }, { type: 'hangup' }]
        : [],
  })
  assert.equal(leg.over?.by, 'us')
  assert.deepEqual(
    (await second.ends()).map(({ body }) => body.type === 'session_end' && body.reason),
    ['assistant_hangup'],
  )
  await assertClean()
})

test('resumes the timeouts after a takeover', async (t) => {
  const { second, leg } = await resumed(t, { settings: { timeouts: { silenceSeconds: 20, maxCallSeconds: 60 } } })
  await second.seconds(12)
  assert.equal(leg.over, undefined)
  await second.seconds(6)
  assert.ok(leg.over)
  assert.deepEqual(
    (await second.ends()).map(({ body }) => body.type === 'session_end' && body.reason),
    ['silence_timeout'],
  )
})

test('sends no events and no session_end from the process that lost the session', async (t) => {
  const { fixture: first } = await openSession(t, { reply: echoes, noted: true })
  await first.seconds(2)
  const second = new SessionFixture(first.exchange.store, { noted: true, startAt: first.exchange.clock.now() })
  t.after(() => second.close())
  await rescuing(first.exchange, second.exchange).takeOver()
  const sent = first.channel.sent.length
  await first.exchange.callRouter.review()
  await first.seconds(400)
  assert.equal(first.channel.sent.length, sent)
  assert.ok(first.channel.closed && first.conversation.closed)
  assert.deepEqual(await first.ends(), [])
  second.exchange.telephony.resumed[0]?.hangsUp()
  await second.rest()
  assert.equal((await second.ends()).length, 1)
})

test('keeps the detected language after a takeover', async (t) => {
  const { second, leg } = await resumed(t, {
    settings: { language: 'en', stt: { languages: ['en', 'it'] } },
    before: async (process) => {
      process.conversation.callerSays('Vorrei prenotare un tavolo', { language: 'it' })
      await process.seconds(5)
    },
  })
  second.endpoints.reply = () => unreachable()
  second.conversation.callerSays('Pronto?')
  await second.seconds(5)
  assert.match(second.conversation.log.join(), /Mi scusi, non ho capito/)
  leg.hangsUp()
  await second.rest()
})
