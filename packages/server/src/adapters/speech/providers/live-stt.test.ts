import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { deepgramServer } from '#test/speech/providers/deepgram-server.ts'
import { elevenLabsServer } from '#test/speech/providers/elevenlabs-server.ts'
import { openForTest, speakOnTrack, type ProvidersForTest } from '#test/speech/providers/open-for-test.ts'
import { providerKey, type ProviderFault } from '#test/speech/providers/provider-server.ts'
import { sayInTones } from '#test/speech/providers/tone-words.ts'
import { WebSocket } from 'ws'
import { SpeechUnavailable, type SttOptions, type SttStream } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'

async function deepgram(t: TestContext, settings: Record<string, string> = {}): Promise<ProvidersForTest> {
  return openForTest(t, await deepgramServer(), ({ url }) => ({
    OFFHOOK_DEEPGRAM_URL: url,
    OFFHOOK_DEEPGRAM_KEY: providerKey,
    ...settings,
  }))
}

async function elevenLabs(t: TestContext): Promise<ProvidersForTest> {
  return openForTest(t, await elevenLabsServer(), ({ url }) => ({ OFFHOOK_ELEVENLABS_URL: url, OFFHOOK_ELEVENLABS_KEY: providerKey }))
}

const nobody = new AbortController().signal
const until = async (condition: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 100_000 && !condition(); turn++) await setImmediate()
  assert.ok(condition(), 'it never came about')
}

interface Listening {
  track: SoundTrack
  stream: SttStream
  partials: string[]
  failures: Error[]
}

const listen = (providers: ProvidersForTest, vendor: 'deepgram' | 'eleven_labs', inputs: Partial<SttOptions> = {}): Listening => {
  const [track, partials, failures] = [SoundTrack.of(30), [] as string[], [] as Error[]]
  const options = { languages: ['en-US'], vocabulary: [], ...inputs }
  const observer = { partial: (text: string) => void partials.push(text), failed: (error: Error) => void failures.push(error) }
  return { track, partials, failures, stream: providers.stt(vendor).open(track, options, observer) }
}

const silence = (ms: number): Int16Array => new Int16Array(ms * 8)

for (const [vendor, name, open] of [
  ['deepgram', 'Deepgram', deepgram],
  ['eleven_labs', 'ElevenLabs', elevenLabs],
] as const) {
  suite(`${name}, live`, () => {
    test('returns the words of each turn, also for repeated questions', async (t) => {
      const { track, stream, failures } = listen(await open(t), vendor)
      for (const words of ['hello', 'book monday', 'bye']) {
        const { from, to } = speakOnTrack(words, track)
        assert.equal((await stream.transcribe(from, to, nobody)).text, words)
        track.write(silence(500))
        assert.equal((await stream.transcribe(from, track.length, nobody)).text, words)
        assert.equal((await stream.transcribe(from, to, nobody)).text, words)
      }
      stream.close()
      assert.deepEqual(failures, [])
    })

    test('includes the words of an early question in the later turn', async (t) => {
      const { track, stream } = listen(await open(t), vendor)
      const { from, to } = speakOnTrack('book', track)
      track.write(silence(200))
      assert.equal((await stream.transcribe(from, to, nobody)).text, 'book')
      track.write(sayInTones('tomorrow today', 8000))
      assert.equal((await stream.transcribe(from, track.length, nobody)).text, 'book tomorrow today')
      stream.close()
    })

    test('hears buffered sound from before the stream was opened', async (t) => {
      const providers = await open(t)
      const { track, from, to } = speakOnTrack('cancel today')
      const stream = providers.stt(vendor).open(track, { languages: ['en'], vocabulary: [] }, { failed: assert.fail })
      assert.equal((await stream.transcribe(from, to, nobody)).text, 'cancel today')
      const next = speakOnTrack('bye', track)
      assert.equal((await stream.transcribe(next.from - 2400, next.to, nobody)).text, 'bye')
      stream.close()
      await until(() => providers.server.connections === 0)
    })

    test('emits partials', async (t) => {
      const { track, stream, partials } = listen(await open(t), vendor)
      track.write(silence(300))
      track.write(sayInTones('stop', 8000))
      await until(() => partials.includes('stop'))
      track.write(sayInTones('help', 8000))
      await until(() => partials.includes('stop help'))
      stream.close()
    })

    test('returns no words for silence, but signals that partials come', async (t) => {
      const { track, stream, partials } = listen(await open(t), vendor)
      track.write(silence(900))
      assert.equal((await stream.transcribe(200, 7200, nobody)).text, '')
      assert.deepEqual(partials, [''])
      stream.close()
    })

    test('waits for sound that is still to come, and answers with the available sound when the call ends', async (t) => {
      const { track, stream } = listen(await open(t), vendor)
      const { from } = speakOnTrack('yes', track)
      const asked = stream.transcribe(from, track.length + 800, nobody)
      track.write(silence(50))
      track.end()
      assert.equal((await asked).text, 'yes')
      stream.close()
    })

    test('rejects an aborted question immediately and answers the next one', async (t) => {
      const providers = await open(t)
      const { track, stream } = listen(providers, vendor)
      const { from, to } = speakOnTrack('no', track)
      providers.server.fault = 'stall'
      const stop = new AbortController()
      const asked = stream.transcribe(from, to, stop.signal)
      await until(() => providers.server.live.size === 1)
      stop.abort(new Error('not needed'))
      await assert.rejects(asked, /not needed/)
      assert.equal(providers.clock.pending() <= 1, true)
      providers.server.fault = undefined
      track.write(silence(700))
      assert.equal((await stream.transcribe(from, track.length, nobody)).text, 'no')
      stream.close()
      await until(() => providers.server.connections === 0)
    })

    test('replaces a broken connection once without losing words', async (t) => {
      const providers = await open(t)
      const { track, stream, failures } = listen(providers, vendor)
      const first = speakOnTrack('hello', track)
      assert.equal((await stream.transcribe(first.from, first.to, nobody)).text, 'hello')
      const { from } = speakOnTrack('cancel', track)
      await until(() => providers.server.live.size === 1)
      for (const socket of providers.server.live) socket.terminate()
      await until(() => providers.server.live.size === 0)
      track.write(sayInTones('today', 8000))
      assert.equal((await stream.transcribe(from, track.length, nobody)).text, 'cancel today')
      assert.deepEqual(failures, [])
      stream.close()
    })

    test('fails when every connection breaks or sends malformed messages', async (t) => {
      for (const fault of ['cut', 'garbage'] as const) {
        const providers = await open(t)
        providers.server.fault = fault
        const { track, stream, failures } = listen(providers, vendor)
        const { from, to } = speakOnTrack('yes', track)
        await assert.rejects(stream.transcribe(from, to, nobody), SpeechUnavailable)
        assert.match(failures[0]?.message ?? '', fault === 'cut' ? /closed the connection/ : /cannot be understood/)
        await assert.rejects(stream.transcribe(from, to, nobody), SpeechUnavailable)
        assert.equal(failures.length, 1)
        assert.equal(providers.server.requests.filter(({ method }) => method === 'GET').length, 2)
        await until(() => providers.server.connections === 0)
        stream.close()
      }
    })

    test('tolerates unexpected messages', async (t) => {
      const messages = [
        'null',
        '5',
        '[]',
        '{}',
        '{"type":"Results"}',
        '{"message_type":"committed_transcript","text":{}}',
        '{"message_type":7}',
      ]
      const results = [
        {},
        { channel: 5 },
        { channel: { alternatives: [{ transcript: 5, words: null }] } },
        { channel: { alternatives: {} } },
      ]
      const shapes = [...messages, ...results.map((result) => JSON.stringify({ type: 'Results', start: 0, duration: 0, ...result }))]
      const providers = await open(t)
      for (const shape of shapes) {
        const { track, stream, failures } = listen(providers, vendor)
        await until(() => providers.server.live.size === 1)
        for (const socket of providers.server.live) socket.send(shape)
        const { from, to } = speakOnTrack('yes', track)
        assert.equal((await stream.transcribe(from, to, nobody)).text, 'yes', shape)
        assert.deepEqual(failures, [])
        stream.close()
        await until(() => providers.server.connections === 0)
      }
    })

    const refusals: [ProviderFault, RegExp][] = [
      [{ status: 401 }, /does not accept the key \(401\)/],
      [{ status: 403 }, /does not allow this to the key \(403\)/],
      [{ status: 429, retryAfter: '5' }, /has had too many requests \(429\)/],
      [{ status: 500 }, /has a fault of its own \(500\)/],
      [{ redirect: 'ws://127.0.0.1:9/' }, /points to another address/],
    ]

    test('fails with the reason when the provider rejects the connection', async (t) => {
      for (const [fault, message] of refusals) {
        const providers = await open(t)
        providers.server.fault = fault
        const { track, stream, failures } = listen(providers, vendor)
        const { from, to } = speakOnTrack('yes', track)
        await assert.rejects(stream.transcribe(from, to, nobody), message)
        assert.match(failures[0]?.message ?? '', message)
        assert.ok(failures[0] instanceof SpeechUnavailable && !failures[0].message.includes(providerKey))
        await until(() => providers.server.connections === 0)
      }
    })

    test('gives up when the handshake or a question gets no answer', async (t) => {
      const providers = await open(t)
      providers.server.fault = 'silent'
      const unanswered = listen(providers, vendor)
      while (unanswered.failures.length === 0) await providers.clock.advance(1_000)
      assert.match(unanswered.failures[0]?.message ?? '', /did not answer within 4000 ms/)
      const resting = listen(providers, vendor)
      await until(() => resting.failures.length === 1)
      assert.match(resting.failures[0]?.message ?? '', /asked again in a moment/)
      await providers.clock.advance(60_000)
      providers.server.fault = 'stall'
      const mute = listen(providers, vendor)
      await until(() => providers.server.live.size === 1)
      mute.track.write(silence(800))
      const asked = mute.stream.transcribe(0, 6400, nobody)
      asked.catch(() => {})
      await providers.clock.advance(2_500)
      await assert.rejects(asked, /told nothing within 2500 ms/)
      mute.stream.close()
      await until(() => providers.server.connections === 0)
    })
  })
}

test('Deepgram: sends languages and vocabulary in the format of each model', async (t) => {
  const providers = await deepgram(t)
  const asked = async (inputs: Partial<SttOptions>): Promise<URLSearchParams> => {
    const before = providers.server.requests.length
    const { stream } = listen(providers, 'deepgram', inputs)
    await until(() => providers.server.requests.length > before)
    stream.close()
    return providers.server.requests[before]!.query
  }
  assert.equal((await asked({ languages: ['de-DE'] })).get('language'), 'de')
  assert.equal((await asked({ languages: ['de-DE', 'en-US'] })).get('language'), 'multi')
  assert.equal((await asked({ languages: ['pl-PL', 'en-US'] })).get('language'), 'pl')
  assert.equal((await asked({ languages: [] })).get('language'), 'multi')
  assert.deepEqual((await asked({ vocabulary: ['Müller & Co', 'Offhook'] })).getAll('keyterm'), ['Müller & Co', 'Offhook'])
  const many = Array.from({ length: 100 }, (_, index) => `Word${index}`.padEnd(200, 'x'))
  assert.equal((await asked({ vocabulary: many })).getAll('keyterm').length, 6)
  const older = await deepgram(t, { OFFHOOK_DEEPGRAM_MODEL: 'nova-2' })
  const { stream } = listen(older, 'deepgram', { vocabulary: ['Offhook'] })
  await until(() => older.server.requests.length === 1)
  assert.deepEqual(older.server.requests[0]?.query.getAll('keywords'), ['Offhook'])
  stream.close()
})

test('Deepgram: reports word times relative to the question', async (t) => {
  const { track, stream } = listen(await deepgram(t), 'deepgram')
  track.write(silence(700))
  const { from, to } = speakOnTrack('book monday', track)
  const { words = [] } = await stream.transcribe(from, to, nobody)
  const [book = assert.fail(), monday = assert.fail()] = words
  assert.deepEqual([book.text, monday.text, monday.confidence], ['book', 'monday', 0.9])
  assert.ok(book.startMs >= 0 && book.startMs < book.endMs && book.endMs <= monday.startMs, JSON.stringify(words))
  assert.ok(monday.endMs <= (to - from) / 8 + 1)
  stream.close()
})

test('Deepgram: keeps the connection of a held call alive and sends CloseStream at hang-up', async (t) => {
  const providers = await deepgram(t)
  const { stream } = listen(providers, 'deepgram')
  await until(() => providers.server.live.size === 1)
  await setImmediate()
  while (!providers.server.requests.some(({ method }) => method === 'KeepAlive')) await providers.clock.advance(1_000)
  stream.close()
  await until(() => providers.server.requests.some(({ method }) => method === 'CloseStream'))
  await until(() => providers.server.connections === 0)
})

test('Deepgram: reports the reason for a closed connection', async (t) => {
  const providers = await deepgram(t)
  const { failures } = listen(providers, 'deepgram')
  for (let connection = 1; failures.length === 0 && connection < 3; connection++) {
    await until(() => providers.server.live.size === 1)
    const [socket] = providers.server.live
    socket?.close(1011, 'NET-0001: no audio was received')
    await until(() => socket?.readyState === WebSocket.CLOSED)
  }
  assert.equal(failures[0]?.message, 'Deepgram closed the connection (1011, NET-0001)')
})

test('Deepgram: does not request final results twice, and answers after a timeout when only silence is left', async (t) => {
  const providers = await deepgram(t)
  const { track, stream } = listen(providers, 'deepgram')
  const { from, to } = speakOnTrack('four', track)
  track.write(silence(450))
  await until(() => providers.server.live.size === 1)
  const finished = (): number => providers.server.requests.filter(({ method }) => method === 'Finalize').length
  const found = await stream.transcribe(from, to, nobody)
  const { words: _, ...notified } = found
  assert.deepEqual(notified, { text: 'four', confidence: 0.9, language: 'en' })
  const before = finished()
  track.write(silence(40))
  const asked = stream.transcribe(from, track.length, nobody)
  await until(() => finished() > before)
  await providers.clock.advance(400)
  assert.equal((await asked).text, 'four')
  stream.close()
})

test('ElevenLabs: sends only supported vocabulary and a single language', async (t) => {
  const providers = await elevenLabs(t)
  const vocabulary = ['Offhook', 'a name that is much too long for it', ...Array.from({ length: 60 }, (_, index) => `w${index}`)]
  const one = listen(providers, 'eleven_labs', { languages: ['de-DE'], vocabulary })
  await until(() => providers.server.requests.length === 1)
  const [request] = providers.server.requests
  assert.equal(request?.query.getAll('keyterms').length, 50)
  assert.equal(request?.query.get('language_code'), 'de')
  one.stream.close()
  const two = listen(providers, 'eleven_labs', { languages: ['de-DE', 'en-GB'] })
  await until(() => providers.server.requests.length === 2)
  assert.equal(providers.server.requests[1]?.query.get('language_code'), null)
  two.stream.close()
})

test('ElevenLabs: uses a partial that is too short to be committed', async (t) => {
  const providers = await elevenLabs(t)
  const { track, stream, partials } = listen(providers, 'eleven_labs')
  const { from, to } = speakOnTrack('book', track)
  assert.equal((await stream.transcribe(from, to, nobody)).text, 'book')
  track.write(sayInTones('today', 8000))
  await until(() => partials.includes('today'))
  const asked = stream.transcribe(from, track.length, nobody)
  await until(() => providers.server.requests.filter(({ method }) => method === 'commit').length === 2)
  await providers.clock.advance(400)
  assert.equal((await asked).text, 'book today')
  stream.close()
})

test('ElevenLabs: reports the reason of an in-band error', async (t) => {
  for (const [type, message] of [
    ['auth_error', /does not accept the key \(401, auth_error\)/],
    ['quota_exceeded', /wants to be paid first \(402, quota_exceeded\)/],
    ['transcriber_error', /reports a fault \(transcriber_error\)/],
  ] as const) {
    const providers = await elevenLabs(t)
    const { failures } = listen(providers, 'eleven_labs')
    for (let connection = 1; failures.length === 0 && connection < 3; connection++) {
      await until(() => providers.server.live.size === 1)
      const [socket] = providers.server.live
      socket?.send(JSON.stringify({ message_type: type, error: `Key ${providerKey}` }))
      await until(() => socket?.readyState === WebSocket.CLOSED)
    }
    assert.match(failures[0]?.message ?? '', message)
    assert.ok(!failures[0]?.message.includes(providerKey))
  }
})
