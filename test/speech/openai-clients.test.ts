import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AuthenticationError, BadRequestError, OpenAI } from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import type { Speech } from '#core/kernel/ports/speech.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { readWav, wavFile } from '#media/sound/wav.ts'
import { readSettings } from '#settings/config.ts'
import { openSpeech } from '#wiring/speech.ts'
import { certificateFor } from '#test/machine/certificate.ts'
import { needs } from '#test/peers/debian.ts'
import { recordedSpeech, recordedWords, readRecordedSpeech, type SpokenText } from '#test/speech/recorded-speech.ts'
import { serviceKey, startToneService } from '#test/speech/speech-service.ts'
import { wordErrors } from '#adapters/speech/callers/word-errors.ts'

interface ClientsForTest {
  clientWith: (key: string) => OpenAI
  /** OpenAI's client opens WebSockets only over TLS. */
  secureClient: OpenAI
  ca: string
}

/** The service with the embedded models, and OpenAI's own client for it. */
const openClients = async (t: TestContext): Promise<ClientsForTest> => {
  const speech = await openSpeech({ settings: readSettings({ OFFHOOK_SPEECH: 'embedded', OFFHOOK_WHISPER: 'base' }), log: () => {} })
  t.after(() => speech.close())
  const { cert, key } = await certificateFor(t, ['IP:127.0.0.1'])
  const models = { ...modelsOf(speech), vad: speech.vad }
  const [plain, secure] = [await startToneService(t, models), await startToneService(t, { ...models, certificate: { cert, key } })]
  const clientAt = (baseURL: string, apiKey: string): OpenAI => new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  return { clientWith: (apiKey) => clientAt(plain.url, apiKey), secureClient: clientAt(secure.url, serviceKey), ca: cert }
}

const modelsOf = (speech: Speech) => {
  const [stt, tts] = [speech.stt('embedded'), speech.tts('embedded')]
  assert.ok(stt && tts)
  return { stt, tts }
}

const fileOf = (samples: Int16Array): File => new File([new Uint8Array(wavFile(samples, 8000))], 'call.wav')

const isUnderstood = (said: string, heard: string): void => {
  const { errors, words } = wordErrors(said, heard, 'en')
  assert.ok(errors <= words * 0.25, `“${heard}” instead of “${said}”`)
}

const sentence = async (): Promise<SpokenText> => {
  const [, , clear] = await readRecordedSpeech()
  assert.ok(clear)
  return clear
}

test('serves OpenAI’s client', async (t) => {
  if (!(await needs(t, recordedSpeech, recordedWords))) return
  const { clientWith, secureClient, ca } = await openClients(t)
  const client = clientWith(serviceKey)
  const { text, samples } = await sentence()

  await t.test('transcribes a recording', async () => {
    const file = fileOf(samples)
    const heard = await client.audio.transcriptions.create({ file, model: 'whisper-1', language: 'en' })
    isUnderstood(text, heard.text)
    const verbose = await client.audio.transcriptions.create({ file, model: 'whisper-1', language: 'en', response_format: 'verbose_json' })
    assert.equal(verbose.language, 'english')
    assert.ok(Math.abs(verbose.duration - samples.length / 8000) < 0.01)
    let streamed = ''
    const events = await client.audio.transcriptions.create({ file, model: 'gpt-4o-transcribe', language: 'en', stream: true })
    for await (const event of events) if (event.type === 'transcript.text.done') streamed = event.text
    assert.equal(streamed, heard.text)
  })

  await t.test('says a sentence that it understands itself', async () => {
    const said = 'Thank you for calling. Please hold the line.'
    const response = await client.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: said, response_format: 'wav' })
    const { samples: spoken, rate } = readWav(new Uint8Array(await response.arrayBuffer()))
    const file = new File([new Uint8Array(wavFile(spoken, rate))], 'speech.wav')
    isUnderstood(said, (await client.audio.transcriptions.create({ file, model: 'whisper-1', language: 'en' })).text)
  })

  await t.test('streams transcripts of what it hears over a WebSocket', async (t) => {
    const socket = new OpenAIRealtimeWS({ intent: 'transcription', options: { ca } }, secureClient)
    t.after(() => socket.close())
    const types: string[] = []
    let deltas = ''
    const completed = new Promise<string>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('event', ({ type }) => void types.push(type))
      socket.on('conversation.item.input_audio_transcription.delta', ({ delta = '' }) => (deltas += delta))
      socket.on('conversation.item.input_audio_transcription.completed', ({ transcript }) => resolve(transcript))
    })
    await Promise.race([completed, new Promise((resolve) => socket.on('session.created', resolve))])
    const transcription = { model: 'gpt-4o-transcribe', language: 'en' }
    socket.send({
      type: 'session.update',
      session: { type: 'transcription', audio: { input: { format: { type: 'audio/pcm', rate: 24_000 }, transcription } } },
    })
    // Faster than real time, and silence in the end.
    const sound = new Int16Array(samples.length + 2 * 8000)
    sound.set(samples, 4_000)
    const wide = resampleSound(sound, 8000, 24_000)
    for (let at = 0; at < wide.length; at += 4_800) {
      const piece = wide.subarray(at, at + 4_800)
      socket.send({
        type: 'input_audio_buffer.append',
        audio: Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64'),
      })
    }
    isUnderstood(text, await completed)
    const expected = [
      'session.updated',
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
    ]
    assert.deepEqual(
      types.filter((type) => expected.includes(type)),
      expected,
    )
    t.diagnostic(`partial words: ${deltas}`)
  })

  await t.test('gets its own errors', async () => {
    await assert.rejects(clientWith('wrong').models.list(), AuthenticationError)
    const mp3 = client.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'yes', response_format: 'mp3' })
    await assert.rejects(
      mp3,
      (error) => error instanceof BadRequestError && error.code === 'invalid_value' && error.param === 'response_format',
    )
    const noSound = client.audio.transcriptions.create({ file: new File(['no sound'], 'a.wav'), model: 'whisper-1' })
    await assert.rejects(noSound, (error) => error instanceof BadRequestError && error.code === 'invalid_file')
    assert.ok((await client.models.list()).data.some(({ id }) => id === 'whisper-1'))
  })
})
