import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceKey, startToneService } from '#test/speech/speech-service.ts'
import { SpeechUnavailable, type ExpectedAnswer, type Stt, type SttOptions, type SttStream } from '#core/kernel/ports/speech.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { readWav, wavFile } from '#media/sound/wav.ts'
import { toneMessages, toneSound, toneStt, toneTts } from '../tones/tone-speech.ts'
import { callerHeader } from './protocol.ts'

const authorization = `Bearer ${serviceKey}`

const formOf = (sound: Int16Array, fields: Record<string, string> = {}, rate = 8000): FormData => {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(wavFile(sound, rate))]), 'sound.wav')
  for (const [name, value] of Object.entries({ model: 'whisper-1', ...fields })) form.set(name, value)
  return form
}

interface Answer {
  status: number
  headers: Headers
  text: string
  error: { code?: string; type?: string; param?: string | null; message?: string }
}

const post = async (url: string, body: FormData | object, headers: Record<string, string> = {}): Promise<Answer> => {
  const isForm = body instanceof FormData
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization, ...(!isForm && { 'content-type': 'application/json' }), ...headers },
    body: isForm ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const { error = {} } = response.headers.get('content-type') === 'application/json' ? (JSON.parse(text) as Partial<Answer>) : {}
  return { status: response.status, headers: response.headers, text, error }
}

test('rejects a request without a key, before it reads the body', async (t) => {
  const { url } = await startToneService(t)
  for (const key of ['', 'Bearer wrong', `Bearer ${serviceKey}x`]) {
    const { status, error } = await post(`${url}/audio/transcriptions`, formOf(toneSound('yes')), { authorization: key })
    assert.deepEqual([status, error.code, error.type], [401, 'invalid_api_key', 'authentication_error'])
  }
  assert.equal((await fetch(new URL('/health', url))).status, 200)
})

test('transcribes sound of any rate, in every format', async (t) => {
  const { url } = await startToneService(t)
  const ask = async (format: string): Promise<string> =>
    (
      await post(
        `${url}/audio/transcriptions`,
        formOf(resampleSound(toneSound('book monday'), 8000, 24_000), { response_format: format, language: 'en' }, 24_000),
      )
    ).text
  assert.deepEqual(JSON.parse(await ask('json')), { text: 'book monday', usage: { type: 'duration', seconds: 1 } })
  assert.equal(await ask('text'), 'book monday\n')
  const verbose = JSON.parse(await ask('verbose_json')) as Record<string, unknown>
  assert.deepEqual([verbose['language'], verbose['text'], (verbose['segments'] as unknown[]).length], ['english', 'book monday', 1])
  assert.match(await ask('srt'), /^1\n00:00:00,000 --> 00:00:00,\d{3}\nbook monday\n$/)
  assert.match(await ask('vtt'), /^WEBVTT\n\n1\n00:00:00\.000 --> /)
})

test('tells our call processes everything about a transcript, and others only its words', async (t) => {
  const { url } = await startToneService(t)
  const form = { offhook_languages: 'de-DE,en-US' }
  const { text } = await post(`${url}/audio/transcriptions`, formOf(toneSound('ja'), form), { [callerHeader]: 'call 1' })
  assert.deepEqual((JSON.parse(text) as { offhook: object }).offhook, { confidence: 1, language: 'de-DE' })
})

test('passes expected answers to the recogniser', async (t) => {
  const asked: (ExpectedAnswer | undefined)[] = []
  const transcribe: SttStream['transcribe'] = (_from, _to, _signal, expected) => {
    asked.push(expected)
    return Promise.resolve({ text: 'ja' })
  }
  const stt: Stt = { name: 'asked', hears: () => true, open: () => ({ transcribe, close: () => {} }) }
  const { url } = await startToneService(t, { stt })
  for (const form of [{}, { offhook_expected: '' }, { offhook_expected: `ja\nnein, danke\n${'x'.repeat(101)}` }])
    await post(`${url}/audio/transcriptions`, formOf(toneSound('ja'), form), { [callerHeader]: 'call 1' })
  assert.deepEqual(asked, [undefined, { phrases: [] }, { phrases: ['ja', 'nein, danke'] }])
})

test('cuts long sound at its quietest moments, and streams the parts', async (t) => {
  const lengths: number[] = []
  const stt: Stt = {
    name: 'counter',
    hears: () => true,
    open: () => ({ transcribe: (from, to) => Promise.resolve({ text: `part ${lengths.push(to - from)}` }), close: () => {} }),
  }
  const { url } = await startToneService(t, { stt })
  const noise = Int16Array.from({ length: 60 * 8000 }, (_, at) => (at % 2 === 0 ? 1000 : -1000))
  const { text } = await post(`${url}/audio/transcriptions`, formOf(noise, { stream: 'true' }))
  assert.ok(lengths.length === 3 || lengths.length === 4, String(lengths))
  assert.ok(lengths.every((length) => length <= 25 * 8000))
  assert.equal(
    lengths.reduce((sum, length) => sum + length),
    noise.length,
  )
  const events = text
    .trim()
    .split('\n\n')
    .map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, string>)
  assert.deepEqual(events.slice(0, 2), [
    { type: 'transcript.text.delta', delta: 'part 1' },
    { type: 'transcript.text.delta', delta: ' part 2' },
  ])
  assert.deepEqual(events.at(-1)?.['type'], 'transcript.text.done')
})

test('speaks as a WAV file at the voice’s rate, or as raw samples at 24 kHz', async (t) => {
  const { url } = await startToneService(t)
  const speak = async (format?: string): Promise<Buffer> => {
    const body = { model: 'tts-1', input: 'Good morning.', voice: 'alloy', ...(format && { response_format: format }) }
    const response = await fetch(`${url}/audio/speech`, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) })
    assert.equal(response.headers.get('content-type'), format === 'pcm' ? 'audio/pcm' : 'audio/wav')
    return Buffer.from(await response.arrayBuffer())
  }
  const { samples, rate } = readWav(new Uint8Array(await speak()))
  assert.equal(rate, toneTts.rate)
  assert.equal(toneMessages(samples)[0]?.text, 'Good morning.')
  const raw = await speak('pcm')
  const pcm = Int16Array.from({ length: raw.length / 2 }, (_, at) => raw.readInt16LE(2 * at))
  assert.equal(toneMessages(resampleSound(pcm, 24_000, 8000))[0]?.text, 'Good morning.')
})

test('names the fault of a request in OpenAI’s format', async (t) => {
  const { url } = await startToneService(t)
  const [hear, speak] = [`${url}/audio/transcriptions`, `${url}/audio/speech`]
  const sound = toneSound('yes')
  const noFile = new FormData()
  noFile.set('model', 'whisper-1')
  const notWav = formOf(sound)
  notWav.set('file', new Blob(['ID3 is an mp3']), 'sound.mp3')
  const cases: [string, FormData | object, number, string, string | null][] = [
    [hear, noFile, 400, 'missing_required_parameter', 'file'],
    [hear, notWav, 400, 'invalid_file', 'file'],
    [hear, formOf(sound, { model: 'tts-1' }), 404, 'model_not_found', 'model'],
    [hear, formOf(sound, { response_format: 'xml' }), 400, 'invalid_value', 'response_format'],
    [hear, formOf(sound, { language: '???' }), 400, 'unsupported_language', 'language'],
    [hear, { model: 'whisper-1' }, 415, 'unsupported_media_type', null],
    [speak, { model: 'tts-1', input: '', voice: 'alloy' }, 400, 'invalid_value', 'input'],
    [speak, { model: 'tts-1', input: 'x'.repeat(5_000), voice: 'alloy' }, 400, 'string_above_max_length', 'input'],
    [speak, { model: 'tts-1', input: 'yes', voice: 'alloy', response_format: 'mp3' }, 400, 'invalid_value', 'response_format'],
    [speak, { model: 'tts-1', input: 'yes', voice: 'alloy', speed: 9 }, 400, 'invalid_value', 'speed'],
    [speak, [], 400, 'invalid_json', null],
    [`${url}/images/generations`, {}, 404, 'unknown_url', null],
  ]
  for (const [place, body, status, code, param] of cases) {
    const answer = await post(place, body)
    assert.deepEqual([answer.status, answer.error.code, answer.error.param], [status, code, param], answer.text)
    assert.equal(answer.error.type, 'invalid_request_error')
  }
})

test('rejects a body above the limit', async (t) => {
  const { url } = await startToneService(t)
  const { status, error } = await post(`${url}/audio/transcriptions`, formOf(new Int16Array(6_000_000)))
  assert.deepEqual([status, error.code], [413, 'request_too_large'])
})

/** Answers when the test says so. */
const scriptedStt = () => {
  const asked: { options: SttOptions; answer: (text: string) => void; fail: (error: Error) => void }[] = []
  const stt: Stt = {
    name: 'scripted',
    hears: () => true,
    open: (_, options) => ({
      async transcribe(_from, _to, signal) {
        const { promise, resolve, reject } = Promise.withResolvers<{ text: string }>()
        signal.addEventListener('abort', () => reject(signal.reason))
        asked.push({ options, answer: (text) => resolve({ text }), fail: reject })
        return promise
      },
      glance: () => Promise.resolve(undefined),
      close: () => {},
    }),
  }
  return { stt, asked }
}

const nextTurns = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

test('lets callers take turns, and rejects what it cannot do soon', async (t) => {
  const { stt, asked } = scriptedStt()
  const { url, service } = await startToneService(t, { stt })
  const order: string[] = []
  const ask = async (caller: string): Promise<Answer> => {
    const answer = await post(`${url}/audio/transcriptions`, formOf(toneSound('x')), { [callerHeader]: caller })
    order.push(caller)
    return answer
  }
  // 4 run, 64 wait.
  const greedy = Array.from({ length: 67 }, () => ask('greedy'))
  await nextTurns(() => service.load.running === 67 && asked.length === 4)
  const modest = ask('modest')
  await nextTurns(() => service.load.running === 68)
  const { status, error, headers } = await ask('late')
  assert.deepEqual([status, error.code, headers.get('retry-after')], [503, 'overloaded', '1'])
  for (let nth = 0; nth < 68; nth++) {
    await nextTurns(() => asked.length > nth)
    asked[nth]?.answer('done')
    await nextTurns(() => order.length === nth + 2)
  }
  await Promise.all([...greedy, modest])
  assert.ok(order.indexOf('modest') < 8, order.join())
})

test('aborts the work of a client that has gone', async (t) => {
  const { stt, asked } = scriptedStt()
  const { url, service } = await startToneService(t, { stt })
  const gone = new AbortController()
  const asking = fetch(`${url}/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization },
    body: formOf(toneSound('x')),
    signal: gone.signal,
  })
  await nextTurns(() => asked.length === 1)
  gone.abort()
  await assert.rejects(asking)
  await nextTurns(() => service.load.running === 0)
})

test('answers 503 when a model is missing, so that clients ask elsewhere', async (t) => {
  const { stt, asked } = scriptedStt()
  const { url } = await startToneService(t, { stt })
  const asking = post(`${url}/audio/transcriptions`, formOf(toneSound('x')))
  await nextTurns(() => asked.length === 1)
  asked[0]?.fail(new SpeechUnavailable('not fetched: stt-en'))
  const { status, error } = await asking
  assert.deepEqual([status, error.code, error.type], [503, 'unavailable', 'server_error'])
})

test('finishes running requests and rejects new ones while it drains', async (t) => {
  const { stt, asked } = scriptedStt()
  const { url, service } = await startToneService(t, { stt })
  const running = post(`${url}/audio/transcriptions`, formOf(toneSound('x')))
  await nextTurns(() => asked.length === 1)
  const drained = service.drain(60_000)
  assert.deepEqual((await post(`${url}/audio/speech`, {})).error.code, 'draining')
  asked[0]?.answer('the last words')
  assert.match((await running).text, /the last words/)
  await drained
})

test('lists its models and voices', async (t) => {
  const { url } = await startToneService(t, { stt: toneStt })
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`, { headers: { authorization } })).json()
  const { data } = (await get('/models')) as { data: { id: string; owned_by: string }[] }
  assert.ok(data.some(({ id }) => id === 'whisper-1') && data.every(({ owned_by: owner }) => owner === 'offhook'))
  assert.equal(((await get('/models/tts-1')) as { id: string }).id, 'tts-1')
  assert.equal(((await get('/audio/voices')) as { voices: unknown[] }).voices.length, 2)
})
