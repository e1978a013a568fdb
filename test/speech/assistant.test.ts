import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { answer as demoAnswer } from '#http/demo/assistant.ts'
import { startAssistantEndpoint, type AssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import type { Phone } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExample } from '#test/peers/example.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { saysSamples } from '#test/phones/tone-speech.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import {
  readFrenchSentence,
  readPrompt,
  readRecordedSpeech,
  readRecording,
  recordedFrench,
  recordedSpeech,
  recordedWords,
  withPauses,
} from '#test/speech/recorded-speech.ts'
import { loudParts } from '#test/sound/tones.ts'
import { writeSamples } from '#test/sound/wav.ts'
import { openRecogniser } from '#test/speech/embedded-speech.ts'
import { readGermanSpeech, readYes } from '#test/speech/synthesised-speech.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { wordErrors } from '#test/speech/word-errors.ts'

/** Recognisers and voices share the machine with everything else. */
const timeoutMs = 150_000

/** In seconds: whatever was said before, the turn is over. */
const longestPause = 2.5

type FlowWish = Parameters<Exchange['admin']['createFlow']>[1]

/** A number that leads to a new flow. */
const newFlow = async (exchange: Exchange, wish: Partial<FlowWish>): Promise<string> => {
  const { id } = await exchange.admin.createFlow({}, { name: 'Assistant', ...wish })
  return exchange.newNumber(id)
}

/** A softphone that says this from the beginning of the call, and then nothing. */
const phoneThatSays = async (t: TestContext, exchange: Exchange, samples: Int16Array): ReturnType<Exchange['newPhone']> => {
  const file = join(await temporaryFolder(t), 'speech.wav')
  const andSilence = new Int16Array(samples.length + 60 * 8_000)
  andSilence.set(samples)
  await writeSamples(file, andSilence, 8_000)
  return exchange.newPhone(t, { says: file })
}

const call = async (exchange: Exchange, phone: Phone, number: string): Promise<void> => {
  await phone.dial(`sip:${number}@${exchange.sip}`)
  await phone.event('CALL_ESTABLISHED')
}

const digits = (number: string): string => number.replace('+', '')

const wordsSaidTo = (endpoint: AssistantEndpoint, number: string): string =>
  endpoint
    .ofType('user_speak')
    .filter(({ session }) => session.phone_number === digits(number))
    .map(({ text }) => text)
    .join(' ')

const errorRate = (pairs: { said: string; heard: string }[], language: 'en' | 'de' | 'fr' = 'en'): number => {
  const counts = pairs.map(({ said, heard }) => wordErrors(said, heard, language))
  return counts.reduce((sum, { errors }) => sum + errors, 0) / counts.reduce((sum, { words }) => sum + words, 0)
}

/** What the phone heard in its newest call, in words. */
const understood = async (t: TestContext, phone: Phone, language: string): Promise<string> => {
  const wav = (await phone.heard()).at(-1)
  const hear = await openRecogniser(t)
  const texts: string[] = []
  for (const part of loudParts(wav?.channels[0] ?? new Float32Array(), 8_000)) texts.push(await hear(part, language))
  return texts.join(' ')
}

test('people talk with an assistant', { concurrency: 4 }, async (t) => {
  if (!(await needs(t, 'baresip', 'espeak-ng', recordedSpeech, recordedWords, recordedFrench))) return
  const endpoint = await startAssistantEndpoint(t, (event) => replies.get(event.session.phone_number)?.(event))
  const replies = new Map<string, (event: AssistantEvent) => unknown>()
  const appointments = await startExample(t, 'appointments', {})
  const allowed = `${endpoint.address},${new URL(appointments).host}`
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: allowed, OFFHOOK_SPEECH: 'embedded' })
  const webhook = { webhookUrl: endpoint.url, language: 'en-US' }
  const spoken = (await readRecordedSpeech()).filter(({ text }) => text.split(/[.?!] +\S/).length === 1)

  await t.test('the answer is spoken, and a recogniser understands it', async (t) => {
    const answer = 'Thank you for calling. Please hold the line.'
    const number = await newFlow(exchange, webhook)
    replies.set(digits(number), (event) => event.type === 'session_start' && { type: 'speak', session_id: event.session.id, text: answer })
    const phone = await phoneThatSays(t, exchange, new Int16Array(8_000))
    await call(exchange, phone, number)
    await endpoint.received('assistant_speak', 1, timeoutMs) // the voice may still be loading
    await phone.hangUp()
    assert.equal((await endpoint.received('session_end')).at(-1)?.reason, 'caller_hangup')
    const heard = await understood(t, phone, 'en-US')
    assert.ok(errorRate([{ said: answer, heard }]) <= 0.2, heard)
  })

  const many = t.test('what people say in more than thirty sentences arrives as words, one event for each sentence', async (t) => {
    assert.ok(spoken.length > 30)
    const calls = [0, 1, 2, 3, 4, 5].map((nth) => spoken.filter((_, index) => index % 6 === nth))
    const numbers = await Promise.all(calls.map(() => newFlow(exchange, webhook)))
    await Promise.all(
      calls.map(async (sentences, nth) => {
        const phone = await phoneThatSays(t, exchange, withPauses(sentences, { before: 1, between: longestPause }))
        await call(exchange, phone, numbers[nth] ?? '')
      }),
    )
    const mine = ({ session }: AssistantEvent): boolean => numbers.some((number) => digits(number) === session.phone_number)
    await untilSaid(endpoint, mine, spoken.length)
    const pairs = calls.map((sentences, nth) => ({
      said: sentences.map(({ text }) => text).join(' '),
      heard: wordsSaidTo(endpoint, numbers[nth] ?? ''),
    }))
    assert.ok(errorRate(pairs) <= 0.1, JSON.stringify(pairs))
    t.diagnostic(`word error rate ${errorRate(pairs)}`)
  })

  /** Recordings and seconds of silence, in order; gives what was said in each turn. */
  const turnsOf = async (t: TestContext, parts: readonly (string | number)[], asks: Record<string, unknown> = {}): Promise<string[]> => {
    const number = await newFlow(exchange, webhook)
    replies.set(digits(number), ({ type, session: { id: session_id } }) =>
      type === 'session_start' ? { type: 'speak', session_id, text: 'Please.', ...asks } : undefined,
    )
    const sounds = await Promise.all(
      [4, ...parts].map(async (part) => (typeof part === 'string' ? readPrompt(part) : new Int16Array(part * 8000))),
    )
    const phone = await phoneThatSays(t, exchange, Int16Array.from(sounds.flatMap((sound) => [...sound])))
    await call(exchange, phone, number)
    const mine = (event: AssistantEvent): boolean => event.session.phone_number === digits(number)
    const ends = parts.filter((part) => part === longestPause).length
    const said = await untilSaid(endpoint, mine, ends)
    await phone.hangUp()
    return said.map(({ text }) => text)
  }

  const dictated = t.test('a number that is dictated in groups is one turn, and the next question another', async (t) => {
    const groups = ['digits/4', 'digits/7', 'digits/1', 0.8, 'digits/1', 'digits/0', 'digits/2', longestPause, 'vm-goodbye', longestPause]
    const [number, rest] = await turnsOf(t, groups, { expects: 'digits', expects_digits: 6 })
    assert.equal(number?.replaceAll(/\D/g, ''), '471102')
    assert.match(rest ?? '', /bye/i)
    const [unasked] = await turnsOf(t, ['digits/4', 'digits/7', 0.8, 'digits/1', 'digits/1', 0.8, 'digits/0', 'digits/2', longestPause])
    assert.equal(unasked?.match(/\d/g)?.length, 6, unasked)
  })

  const pausing = t.test('a pause in the middle of a sentence does not end the turn', async (t) => {
    const parts = ['queue-holdtime', 0.7, 'digits/5', 'queue-minutes', longestPause]
    const [said] = await turnsOf(t, parts)
    assert.match(said ?? '', /hold time.*minutes/i)
  })

  const interruption = t.test('a caller interrupts: silence, the words, and an answer that comes too late is not spoken', async (t) => {
    const number = await newFlow(exchange, { ...webhook, extended_events: true, barge_in: { strategy: 'immediate' } })
    const late = Promise.withResolvers<unknown>()
    const answers = [
      () => long,
      () => late.promise, // the session no longer waits for it when it comes
      () => 'This is the second answer.',
    ]
    const long = 'Our opening hours are as follows. '.repeat(12)
    replies.set(digits(number), async (event) => {
      if (event.type !== 'session_start' && event.type !== 'user_speak') return undefined
      return { type: 'speak', session_id: event.session.id, text: await answers.shift()?.() }
    })
    const [first, second] = spoken
    assert.ok(first && second)
    const phone = await phoneThatSays(t, exchange, withPauses([first, second], { before: 8, between: 2 }))
    await call(exchange, phone, number)
    const mine = (event: AssistantEvent): boolean => event.session.phone_number === digits(number)
    const [interruption] = await untilSaid(endpoint, mine, 2)
    late.resolve('This is the late answer.')
    assert.equal(interruption?.barged_in, true)
    await until('the end of the second answer', () => endpoint.ofType('assistant_speak').filter(mine).length >= 2, timeoutMs)
    const order = endpoint.events
      .map(({ body }) => body)
      .filter(mine)
      .map(({ type }) => type)
    await phone.hangUp()
    const cut = endpoint.ofType('assistant_speak').find(mine)
    assert.ok(cut && cut.duration_ms < 20_000, 'the long answer was cut')
    assert.ok(order.indexOf('assistant_speak') < order.indexOf('user_speak'), order.join(' '))
    assert.ok(endpoint.ofType('action_discarded').some(mine), order.join(' '))
    const heard = await understood(t, phone, 'en-US')
    assert.match(heard, /second answer/i)
    assert.doesNotMatch(heard, /late answer/i)
  })

  const german = t.test('German is understood and spoken', async (t) => {
    const [sentence] = await readGermanSpeech()
    assert.ok(sentence)
    const answer = 'Vielen Dank für Ihren Anruf. Wie kann ich Ihnen helfen?'
    const number = await newFlow(exchange, { ...webhook, language: 'de-DE' })
    replies.set(digits(number), (event) =>
      event.type === 'user_speak' ? { type: 'speak', session_id: event.session.id, text: answer } : undefined,
    )
    const phone = await phoneThatSays(t, exchange, withPauses([sentence], { before: 2, between: 2 }))
    await call(exchange, phone, number)
    const mine = (event: AssistantEvent): boolean => event.session.phone_number === digits(number)
    const [words] = await untilSaid(endpoint, mine, 1)
    await until('the end of the answer', () => endpoint.ofType('assistant_speak').some(mine), timeoutMs)
    await phone.hangUp()
    assert.ok(errorRate([{ said: sentence.text, heard: words?.text ?? '' }], 'de') <= 0.3, words?.text)
    const heard = await understood(t, phone, 'de-DE')
    assert.ok(errorRate([{ said: answer, heard }], 'de') <= 0.3, heard)
  })

  const french = t.test('a call begins in English and goes on in French', async (t) => {
    const [english] = spoken
    const sentence = await readFrenchSentence()
    assert.ok(english)
    const number = await newFlow(exchange, { ...webhook, extended_events: true })
    replies.set(digits(number), ({ type, session: { id: session_id }, ...event }) => {
      if (type !== 'user_speak') return undefined
      const thanks = { type: 'speak', session_id, text: 'Merci beaucoup.', tts: { language: 'fr-FR' } }
      const switched = 'language' in event && event.language.startsWith('fr')
      return switched ? thanks : { type: 'configure_transcription', session_id, languages: ['fr-FR'] }
    })
    const phone = await phoneThatSays(t, exchange, withPauses([english, sentence], { before: 1, between: 5 }))
    await call(exchange, phone, number)
    const mine = (event: AssistantEvent): boolean => event.session.phone_number === digits(number)
    const [first, second] = await untilSaid(endpoint, mine, 2)
    await until('the end of the answer', () => endpoint.ofType('assistant_speak').some(mine), timeoutMs)
    await phone.hangUp()
    assert.ok(errorRate([{ said: english.text, heard: first?.text ?? '' }]) <= 0.3, first?.text)
    assert.ok(errorRate([{ said: sentence.text, heard: second?.text ?? '' }], 'fr') <= 0.3, second?.text)
    assert.match(await understood(t, phone, 'fr-FR'), /merci/i)
  })

  const warm = t.test('a colleague hears what the call is about, says yes, and gets the caller', async (t) => {
    const yes = await readYes()
    // Whenever the question comes: before it, a yes does not count.
    const colleague = await phoneThatSays(t, exchange, withPauses([yes, yes, yes, yes, yes], { before: 10, between: 7 }))
    const { number: target } = await exchange.newLine(colleague.deviceId)
    const number = await newFlow(exchange, { ...webhook, transfer_targets: ['+49*'] })
    const briefing = 'Mister Miller has a question about his electricity bill.'
    replies.set(digits(number), ({ type, session: { id: session_id } }) =>
      type === 'session_start' ? { type: 'transfer', session_id, target, mode: 'warm', briefing } : undefined,
    )
    const phone = await phoneThatSays(t, exchange, new Int16Array(8_000))
    await call(exchange, phone, number)
    await colleague.answer()
    const mine = (event: AssistantEvent): boolean => event.session.phone_number === digits(number)
    await until('the end', () => endpoint.ofType('session_end').some(mine), timeoutMs)
    assert.equal(endpoint.ofType('session_end').find(mine)?.reason, 'transferred')
    await phone.hangUp()
    const heard = await understood(t, colleague, 'en-US')
    assert.match(heard, /Miller.*question.*electricity/i)
    assert.match(heard, /press.*take the call/i)
  })

  const goodbyes = t.test('goodbye, as people say it, ends a call with the demo’s assistant', async (t) => {
    const said = ['goodbye', 'vm-goodbye', 'demo-thanks']
    const numbers = await Promise.all(said.map(() => newFlow(exchange, webhook)))
    await Promise.all(
      said.map(async (name, nth) => {
        const number = numbers[nth] ?? ''
        replies.set(digits(number), (event) => (event.type === 'session_start' ? undefined : demoAnswer(event, 'en')))
        const phone = await phoneThatSays(t, exchange, withPauses([await readRecording(name)], { before: 2, between: 2 }))
        await call(exchange, phone, number)
        const end = await untilEnded(endpoint, number)
        assert.equal(end.reason, 'assistant_hangup', name)
      }),
    )
  })

  const booking = t.test('the appointment line is heard to its last word before it hangs up', async (t) => {
    const number = await newFlow(exchange, { language: 'en-US', websocketUrl: appointments })
    const { user, password } = await exchange.newDevice()
    const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
    const { answered, ended } = phone.call(number)
    await answered
    for (const name of ['digits/day-5', 'digits/3', 'if-correct-press']) await saysInTurn(phone, (await readRecording(name)).samples)
    await ended
    const hear = await openRecogniser(t)
    const sound = Float32Array.from(phone.rtp.recent(10_000), (sample) => sample / 32_768)
    assert.match(await hear(sound, 'en-US'), /booked.*thank you.*goodbye\W*$/i)
  })

  await Promise.all([many, dictated, pausing, interruption, german, french, warm, goodbyes, booking])
})

/** When the assistant has spoken, and is silent for a while. */
const saysInTurn = async ({ rtp }: SipPhone, samples: Int16Array): Promise<void> => {
  const isLoud = (sample: number): boolean => Math.abs(sample) > 300
  await rtp.until(() => rtp.recent(300).some(isLoud), 'the assistant is silent', timeoutMs)
  await rtp.until(() => !rtp.recent(2_000).some(isLoud), 'the assistant speaks on and on', timeoutMs)
  saysSamples(rtp, samples)
}

const untilEnded = (endpoint: AssistantEndpoint, number: string) =>
  until(
    'the end of the session',
    () => endpoint.ofType('session_end').find(({ session }) => session.phone_number === digits(number)),
    timeoutMs,
  )

const untilSaid = (endpoint: AssistantEndpoint, mine: (event: AssistantEvent) => boolean, count: number) =>
  until(
    `${count} × user_speak`,
    () => {
      const said = endpoint.ofType('user_speak').filter(mine)
      return said.length >= count ? said : undefined
    },
    timeoutMs,
  )
