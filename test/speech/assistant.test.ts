import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { answer as demoAnswer } from '#http/demo/assistant.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { needs } from '#test/peers/debian.ts'
import { startExample } from '#test/peers/example.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { saysSamples } from '#test/phones/tone-speech.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import {
  readFrenchSentence,
  readGoodbyes,
  readPrompt,
  readRecordedSpeech,
  readRecording,
  recordedFrench,
  recordedSpeech,
  recordedWords,
} from '#test/speech/recorded-speech.ts'
import { openRecogniser } from '#test/speech/embedded-speech.ts'
import { CallsOf, digitsOf, Speaker } from '#test/speech/spoken-call.ts'
import { readGermanSpeech, readYes } from '#test/speech/synthesised-speech.ts'
import { wordErrors } from '#adapters/speech/callers/word-errors.ts'

/** Recognisers and voices share the machine with everything else. */
const timeoutMs = 60_000

type FlowInput = Parameters<Exchange['admin']['createFlow']>[1]
type Reply = (event: AssistantEvent) => unknown

const errorRate = (pairs: { said: string; heard: string }[], language: 'en' | 'de' | 'fr' = 'en'): number => {
  const counts = pairs.map(({ said, heard }) => wordErrors(said, heard, language))
  return counts.reduce((sum, { errors }) => sum + errors, 0) / counts.reduce((sum, { words }) => sum + words, 0)
}

/** Concatenates recordings of people and seconds of silence. */
const soundOf = async (...parts: (string | number)[]): Promise<Int16Array> => {
  const sounds = parts.map(async (part) => (typeof part === 'string' ? readPrompt(part) : new Int16Array(part * 8_000)))
  return Int16Array.from((await Promise.all(sounds)).flatMap((sound) => [...sound]))
}

test('holds conversations of people with an assistant', { concurrency: 4 }, async (t) => {
  if (!(await needs(t, 'baresip', 'espeak-ng', recordedSpeech, recordedWords, recordedFrench))) return
  const replies = new Map<string, Reply>()
  const endpoint = await startAssistantEndpoint(t, (event) => replies.get(event.session.phone_number)?.(event))
  const appointments = await startExample(t, 'appointments', {}, 'assistant.ts')
  const allowed = `${endpoint.address},${new URL(appointments).host}`
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: allowed, OFFHOOK_SPEECH: 'embedded' })
  const hear = await openRecogniser(t)
  const spoken = (await readRecordedSpeech()).filter(({ text }) => text.split(/[.?!] +\S/).length === 1)

  /** Creates a flow with a number. */
  const newFlow = async (input: Partial<FlowInput> = {}, reply: Reply = () => undefined): Promise<CallsOf> => {
    // On a busy machine synthesis takes long, and a filler would play in the middle of the answer.
    const flow = { name: 'Assistant', webhookUrl: endpoint.url, language: 'en-US', fillers: { off: true } }
    const { id } = await exchange.admin.createFlow({}, { ...flow, ...input })
    const number = await exchange.newNumber(id)
    replies.set(digitsOf(number), reply)
    return new CallsOf(endpoint, number)
  }

  /** Caller in a call with a listening assistant. */
  const dialled = async (t: TestContext, calls: CallsOf): Promise<Speaker> => {
    const speaker = await Speaker.open(t, exchange)
    await speaker.phone.dial(`sip:${calls.number}@${exchange.sip}`)
    await speaker.phone.event('CALL_ESTABLISHED')
    await calls.onEvent('session_start')
    return speaker
  }

  await t.test('speaks an answer that a recogniser understands', async (t) => {
    const answer = 'Thank you for calling. Please hold the line.'
    const calls = await newFlow({}, ({ type, session: { id: session_id } }) =>
      type === 'session_start' ? { type: 'speak', session_id, text: answer } : undefined,
    )
    const caller = await dialled(t, calls)
    await calls.spoken(answer)
    const heard = await caller.understood(hear, 'en-US')
    assert.ok(errorRate([{ said: answer, heard }]) <= 0.2, heard)
    await caller.phone.hangUp()
    assert.equal((await calls.onEvent('session_end')).reason, 'caller_hangup')
  })

  const many = t.test('recognises more than thirty sentences of people, with one event per sentence', async (t) => {
    assert.ok(spoken.length > 30)
    const callers = [0, 1, 2, 3, 4, 5].map((nth) => spoken.filter((_, index) => index % 6 === nth))
    const pairs = await Promise.all(
      callers.map(async (sentences) => {
        const calls = await newFlow()
        const caller = await dialled(t, calls)
        for (const [index, { samples }] of sentences.entries()) {
          await caller.says(samples)
          await calls.onEvent('user_speak', index + 1)
        }
        await caller.phone.hangUp()
        await calls.onEvent('session_end')
        assert.equal(calls.ofType('user_speak').length, sentences.length, calls.story)
        const heard = calls.ofType('user_speak').map(({ text }) => text)
        return { said: sentences.map(({ text }) => text).join(' '), heard: heard.join(' ') }
      }),
    )
    assert.ok(errorRate(pairs) <= 0.1, JSON.stringify(pairs))
    t.diagnostic(`word error rate ${errorRate(pairs)}`)
  })

  const pausing = t.test('keeps the turn open during pauses: in a number, asked for or not, and in the middle of a sentence', async (t) => {
    const asks = { expects: 'digits', expects_digits: 6 }
    const calls = await newFlow({}, ({ type, session: { id: session_id } }) => {
      if (type === 'session_start') return { type: 'speak', session_id, text: 'Please.', ...asks }
      return type === 'user_speak' ? { type: 'speak', session_id, text: `Number ${calls.ofType('user_speak').length}.` } : undefined
    })
    const caller = await dialled(t, calls)
    await calls.spoken('Please.')
    // This tests pauses: recognisers expand some other numbers regardless of pauses.
    await caller.says(await soundOf('digits/6', 'digits/2', 'digits/9', 0.8, 'digits/4', 'digits/8', 'digits/0'))
    assert.equal((await calls.onEvent('user_speak')).text.replaceAll(/\D/g, ''), '629480')
    await calls.spoken('Number 1.')
    await caller.says(await soundOf('digits/6', 'digits/2', 0.8, 'digits/9', 'digits/4', 0.8, 'digits/8', 'digits/0'))
    assert.equal((await calls.onEvent('user_speak', 2)).text.replaceAll(/\D/g, ''), '629480')
    await calls.spoken('Number 2.')
    await caller.says(await soundOf('queue-holdtime', 0.7, 'digits/5', 'queue-minutes'))
    assert.match((await calls.onEvent('user_speak', 3)).text, /time.*minutes/i, 'one turn, with its beginning and its end')
  })

  const interruption = t.test('stops when the caller interrupts, sends the words, and drops a late answer', async (t) => {
    const long = 'Our opening hours are as follows. '.repeat(30)
    const [secondAnswer, lateAnswer] = ['This is the second answer.', 'This is the late answer.']
    const late = Promise.withResolvers<string>()
    const [, first, second] = spoken
    assert.ok(first && second)
    const input: Partial<FlowInput> = { extended_events: true, barge_in: { strategy: 'immediate' } }
    const calls = await newFlow(input, async ({ type, session: { id: session_id } }) => {
      if (type === 'session_start') return { type: 'speak', session_id, text: long }
      if (type !== 'user_speak') return undefined
      // The session no longer waits for the late answer when it comes, regardless of its earlier requests.
      return { type: 'speak', session_id, text: calls.ofType('user_speak').length === 1 ? await late.promise : secondAnswer }
    })
    const caller = await dialled(t, calls)
    await caller.hearsSound(2)
    await caller.says(first.samples)
    assert.equal((await calls.onEvent('user_speak')).barged_in, true)
    await caller.says(second.samples)
    await calls.onEvent('user_speak', 2)
    late.resolve(lateAnswer)
    await calls.spoken(secondAnswer)
    await calls.onEvent('action_discarded')
    const heard = await caller.understood(hear, 'en-US')
    const cut = calls.ofType('assistant_speak')[0]
    assert.ok(cut?.text === long && cut.duration_ms < 45_000, 'the long answer was cut')
    const order = calls.story
    assert.ok(order.indexOf('assistant_speak') < order.indexOf('user_speak'), order)
    assert.match(heard, /second answer/i, order)
    assert.doesNotMatch(heard, /late answer/i)
  })

  const german = t.test('understands and speaks German', async (t) => {
    const [sentence] = await readGermanSpeech()
    assert.ok(sentence)
    const answer = 'Vielen Dank für Ihren Anruf. Wie kann ich Ihnen helfen?'
    const calls = await newFlow({ language: 'de-DE' }, ({ type, session: { id: session_id } }) =>
      type === 'user_speak' ? { type: 'speak', session_id, text: answer } : undefined,
    )
    const caller = await dialled(t, calls)
    await caller.says(sentence.samples)
    const { text } = await calls.onEvent('user_speak')
    await calls.spoken(answer)
    assert.ok(errorRate([{ said: sentence.text, heard: text }], 'de') <= 0.3, text)
    const heard = await caller.understood(hear, 'de-DE')
    assert.ok(errorRate([{ said: answer, heard }], 'de') <= 0.3, heard)
  })

  const french = t.test('switches a call from English to French', async (t) => {
    const [english] = spoken
    const sentence = await readFrenchSentence()
    assert.ok(english)
    const thanks = 'Merci beaucoup.'
    const calls = await newFlow({ extended_events: true }, ({ type, session: { id: session_id } }) => {
      const listen = { type: 'configure_transcription', session_id, languages: ['fr-FR'] }
      const speak = { type: 'speak', session_id, text: thanks, tts: { language: 'fr-FR' } }
      return type === 'user_speak' && calls.ofType('user_speak').length === 1 ? [listen, speak] : undefined
    })
    const caller = await dialled(t, calls)
    await caller.says(english.samples)
    const first = await calls.onEvent('user_speak')
    await calls.spoken(thanks)
    await caller.says(sentence.samples)
    const second = await calls.onEvent('user_speak', 2)
    assert.deepEqual([first.language, second.language], ['en-US', 'fr-FR'])
    assert.ok(errorRate([{ said: english.text, heard: first.text }]) <= 0.3, first.text)
    assert.ok(errorRate([{ said: sentence.text, heard: second.text }], 'fr') <= 0.3, second.text)
    assert.match(await caller.understood(hear, 'fr-FR'), /merci/i)
  })

  const warm = t.test('briefs a colleague, who accepts and gets the caller', async (t) => {
    const colleague = await Speaker.open(t, exchange)
    const { number: target } = await exchange.newLine(colleague.phone.deviceId)
    const briefing = 'Mister Miller has a question about his electricity bill.'
    const calls = await newFlow({ transfer_targets: ['+49*'] }, ({ type, session: { id: session_id } }) =>
      type === 'session_start' ? { type: 'transfer', session_id, target, mode: 'warm', briefing } : undefined,
    )
    await dialled(t, calls)
    await colleague.phone.answer()
    // Longer than the briefing: the question was heard, too. A yes before its end would cut it.
    await colleague.hasTheFloor(7)
    await colleague.says((await readYes()).samples)
    assert.equal((await calls.onEvent('session_end')).reason, 'transferred')
    const heard = await colleague.understood(hear, 'en-US')
    assert.match(heard, /Miller.*question.*electricity.*press.*yes.*press.*take the call/i)
  })

  const goodbyes = t.test('ends a call with the demo’s assistant at any form of goodbye', async (t) => {
    const reply: Reply = (event) => (event.type === 'session_start' ? undefined : demoAnswer(event, 'en'))
    await Promise.all(
      (await readGoodbyes()).map(async ({ samples, text }) => {
        const calls = await newFlow({}, reply)
        const caller = await dialled(t, calls)
        await caller.says(samples)
        assert.equal((await calls.onEvent('session_end')).reason, 'assistant_hangup', `${text}: ${calls.story}`)
      }),
    )
  })

  const booking = t.test('plays the appointment line to its last word before it hangs up', async (t) => {
    const { id } = await exchange.admin.createFlow({}, { name: 'Appointments', language: 'en-US', websocketUrl: appointments })
    const { user, password } = await exchange.newDevice()
    const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
    const { answered, ended } = phone.call(await exchange.newNumber(id))
    await answered
    for (const name of ['digits/day-5', 'digits/3', 'if-correct-press']) await speakInSequence(phone, (await readRecording(name)).samples)
    await ended
    const sound = Float32Array.from(phone.rtp.recent(10_000), (sample) => sample / 32_768)
    assert.match(await hear(sound, 'en-US'), /booked.*thank you.*goodbye\W*$/i)
  })

  await Promise.all([many, pausing, interruption, german, french, warm, goodbyes, booking])
})

/** Speaks after the assistant has spoken and then been silent for a while. */
const speakInSequence = async ({ rtp }: SipPhone, samples: Int16Array): Promise<void> => {
  const isLoud = (sample: number): boolean => Math.abs(sample) > 300
  await rtp.until(() => rtp.recent(300).some(isLoud), 'the assistant is silent', timeoutMs)
  await rtp.until(() => !rtp.recent(2_000).some(isLoud), 'the assistant speaks on and on', timeoutMs)
  saysSamples(rtp, samples)
}
