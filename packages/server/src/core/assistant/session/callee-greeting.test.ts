import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openTestStore } from '#test/store/databases.ts'
import { SessionFixture } from '#test/session/session-fixture.ts'
import type { Input } from '#test/session/scripted-endpoint.ts'
import { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { ScriptedSpeech } from '#test/speech/scripted-speech.ts'
import { CallLife } from '#core/telephone/call/state/call-life.ts'
import { endByLeg } from '#core/telephone/call/state/end.ts'
import type { FlowCall } from '#core/kernel/ports/assistant.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { assistant } from './run-session.ts'

const greeting = 'Good morning, this is the practice of Doctor Miller, and I am calling about your appointment on Friday.'

interface Inputs {
  settings?: FlowSettings
  direction?: FlowCall['direction']
  duplex?: boolean
  /** Milliseconds that the endpoint takes for session_start. */
  answerMs?: number
  start?: Input[]
  /** Milliseconds that recognition takes. */
  recognitionMs?: number
}

/** Calls with real hearing and speaking. */
const openCalls = async (t: TestContext) => {
  let fixture: SessionFixture | undefined
  t.after(() => fixture?.close())
  const speeches: ScriptedSpeech[] = []
  let recognition = 40
  fixture = new SessionFixture(await openTestStore(t, 'sqlite'), {
    openConversation: ({ exchange: { clock } }) => {
      const outbound = { request: () => Promise.reject(new Error('no network')), close: () => Promise.resolve() }
      const [cache, rehearsals] = [new SpeechCache(), new Rehearsals()]
      return (on, events) => {
        const speech = new ScriptedSpeech(clock)
        speech.recognitionMs = recognition
        speeches.push(speech)
        return openConversation({ ...on, speech, clock, outbound, cache, rehearsals }, events)
      }
    },
  })
  const { accountId } = await fixture.exchange.newCustomer()
  return { fixture, accountId, speeches, recognises: (ms: number) => (recognition = ms) }
}

/** An answered call. */
const call = async ({ fixture, accountId, speeches, recognises }: Awaited<ReturnType<typeof openCalls>>, inputs: Inputs = {}) => {
  const { settings = {}, direction = 'outbound', duplex = false, answerMs = 100, recognitionMs = 40 } = inputs
  const { start = [{ type: 'speak', text: greeting }] } = inputs
  const { clock, outside } = fixture.exchange
  recognises(recognitionMs)
  fixture.endpoints.duplex = duplex
  fixture.endpoints.reply = ({ body }) =>
    new Promise((resolve) =>
      body.type === 'session_start' ? clock.after(answerMs, () => resolve(start)) : clock.after(0, () => resolve([])),
    )
  const callId = `call-${speeches.length}`
  const leg = new ScriptedLeg(clock, outside)
  leg.answered = true
  const life = new CallLife({ id: callId, clock, onFailure: assert.ifError, onEnd: () => {}, stillOurs: () => undefined })
  const flowCall: FlowCall = {
    callId,
    sessionId: callId,
    accountId,
    direction,
    from: '+49301',
    to: '+49302',
    language: 'en',
    over: life.over,
    answer: () => Promise.resolve(),
    hangUp: (reason) => life.finish({ by: 'assistant', reason, cause: 'normal' }),
    transfer: () => Promise.resolve('forbidden'),
    recordingRule: () => Promise.resolve('none'),
    record: () => Promise.resolve(),
    pauseRecording: () => {},
    asksForConsent: false,
    observe: () => () => {},
    observeTransfers: () => () => {},
    beforeHandOver: () => {},
    beforeTransfer: () => {},
  }
  void leg.ended.then((end) => life.finish(endByLeg('callee', end)))
  const running = assistant(fixture.deps).run(flowCall, leg, {
    id: 'f',
    name: 'Flow',
    settings: { language: 'en', extendedEvents: ['assistant_speech_ended'], ...settings },
  })
  await fixture.rest()
  const { channel } = fixture
  const says = (text: string, ms: number): void => speeches.at(-1)?.callers[0]?.says(text, ms)
  const turns = (): string[] => channel.ofType('user_speak').map(({ text }) => text)
  const heard = (): unknown[] => channel.ofType('assistant_speak').map(({ text, heard_text: cut }) => cut ?? text)
  const end = async (): Promise<void> => {
    leg.hangsUp()
    await fixture.rest()
    await running
  }
  return { fixture, seconds: (s: number) => fixture.seconds(s), says, turns, heard, end, channel }
}

const hellos = { en: 'Hello?', de: 'Ja, hallo?', fr: 'Allô ?', es: '¿Dígame?', it: 'Pronto?' }
const modes = [undefined, 'field', 'event'] as const
const moments = [0.3, 0.9, 1.5, 2.5]

test('finishes or starts the greeting when the callee says hello', async (t) => {
  const calls = await openCalls(t)
  let count = 0
  for (const mode of modes)
    for (const at of moments)
      for (const busy of [false, true])
        for (const duplex of [false, true]) {
          const settings: FlowSettings = { ...(mode && { answeringMachineDetection: mode }) }
          const one = await call(calls, { settings, duplex, answerMs: busy ? 2_800 : 100, recognitionMs: busy ? 1_500 : 40 })
          await one.seconds(at)
          one.says('Hello?', 450)
          await one.seconds(15)
          const story = `${mode} ${at} s ${busy} ${duplex}`
          assert.deepEqual(one.turns(), [], story)
          assert.deepEqual(one.heard(), [greeting], story)
          one.says('Yes, that is me, what is it about?', 1500)
          await one.seconds(6)
          assert.deepEqual(one.turns(), ['Yes, that is me, what is it about?'], story)
          await one.end()
          count += 1
        }
  assert.equal(count, 48)
})

test('knows hellos in every built-in language and with every strategy', async (t) => {
  const calls = await openCalls(t)
  for (const [language, hello] of Object.entries(hellos))
    for (const strategy of ['words', 'minimum_characters', 'immediate', 'manual'] as const) {
      const one = await call(calls, { settings: { language, bargeIn: { strategy } } })
      await one.seconds(0.9)
      one.says(hello, 500)
      await one.seconds(10)
      assert.deepEqual([one.turns(), one.heard()], [[], [greeting]], `${language} ${strategy}`)
      await one.end()
    }
})

test('tells the endpoint what says more than hello, and stops for it', async (t) => {
  const calls = await openCalls(t)
  for (const words of ['Hello, who do you want to speak to?', 'Stop calling me please', 'Wait a moment']) {
    const one = await call(calls)
    await one.seconds(0.9)
    one.says(words, 1_500)
    await one.seconds(6)
    assert.deepEqual(one.turns(), [words])
    assert.notEqual(one.heard()[0], greeting, words)
    await one.end()
  }
})

test('tells the endpoint a hello if it does not greet', async (t) => {
  const calls = await openCalls(t)
  for (const duplex of [false, true])
    for (const answerMs of [100, 1_500]) {
      const one = await call(calls, { duplex, answerMs, start: duplex ? [] : [{ type: 'configure_transcription', languages: ['en'] }] })
      await one.seconds(0.6)
      one.says('Hello?', 450)
      await one.seconds(7)
      assert.deepEqual(one.turns(), ['Hello?'], `${duplex} ${answerMs}`)
      await one.end()
    }
})

test('takes a yes as an answer to a question, and a later hello as a turn', async (t) => {
  const calls = await openCalls(t)
  const asked = await call(calls, { start: [{ type: 'speak', text: 'Is this Anna?', barge_in: { strategy: 'words' } }] })
  await asked.seconds(0.4)
  asked.says('Yes', 300)
  await asked.seconds(5)
  assert.deepEqual(asked.turns(), ['Yes'])
  await asked.end()
  const late = await call(calls)
  await late.seconds(3.8)
  late.says('Hello?', 450)
  await late.seconds(5)
  assert.deepEqual(late.turns(), ['Hello?'])
  await late.end()
  const caller = await call(calls, { direction: 'inbound' })
  await caller.seconds(0.9)
  caller.says('Hello?', 450)
  await caller.seconds(5)
  assert.deepEqual(caller.turns(), ['Hello?'], 'who calls wants an answer')
  await caller.end()
})
