import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openAiServer } from '#test/speech/providers/openai-server.ts'
import { joined, speakOnTrack } from '#test/speech/providers/open-for-test.ts'
import { hearTones, textOf } from '#test/speech/providers/tone-words.ts'
import { serviceKey, startToneService, type ServiceForTest } from '#test/speech/speech-service.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { LocalHub, localBus } from '#adapters/bus/local-bus.ts'
import { selfMadeCertificate } from '#adapters/certificates/self-made.ts'
import type { Stt } from '#core/kernel/ports/speech.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { Announcer } from '../server/announcer.ts'
import { toneMessages, toneSound, toneStt, toneTts } from '../tones/tone-speech.ts'
import { serviceStt, serviceTts } from './service-speech.ts'
import type { ServerAddress } from './speech-server.ts'
import { SpeechServers } from './speech-servers.ts'
import { sttWithFallbacks, ttsWithFallbacks } from './with-fallbacks.ts'

const nobody = new AbortController().signal
const noVoices = (): [] => []
const observer = { failed: assert.fail }

interface ClientForTest {
  clock: VirtualClock
  hub: LocalHub
  servers: SpeechServers
  stt: Stt
  log: string[]
}

const openClient = (t: TestContext, ...addresses: ServerAddress[]): ClientForTest => {
  const [clock, hub, log] = [new VirtualClock(), new LocalHub(), [] as string[]]
  const servers = new SpeechServers({
    clock,
    log: (event) => void log.push(event),
    bus: localBus(hub),
    addresses,
    models: { hearing: 'gpt-4o-mini-transcribe', speaking: 'gpt-4o-mini-tts', voice: 'alloy' },
  })
  t.after(async () => {
    await servers.close()
    assert.equal(clock.pending(), 0, 'a timer was left behind')
  })
  return { clock, hub, servers, stt: serviceStt(servers), log }
}

const ours = ({ url }: ServiceForTest): ServerAddress => ({ url, key: serviceKey, ours: true })

const hear = async (stt: Stt, text: string, languages: readonly string[] = ['en']): Promise<unknown> => {
  const { track, from, to } = toneTrack(text)
  const stream = stt.open(track, { languages, vocabulary: [] }, observer)
  try {
    return await stream.transcribe(from, to, nobody)
  } finally {
    stream.close()
  }
}

const toneTrack = (text: string): ReturnType<typeof speakOnTrack> => {
  const spoken = speakOnTrack('')
  const from = spoken.track.length
  spoken.track.write(toneSound(text))
  return { track: spoken.track, from, to: spoken.track.length }
}

const nextTurns = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

const announce = async (
  { clock, hub }: ClientForTest,
  id: string,
  { url, service }: ServiceForTest,
  certificate?: string,
  loaded = Promise.resolve(),
): Promise<Announcer> => {
  const describe = () => ({ id, url, key: serviceKey, ...(certificate !== undefined && { certificate }), ...service.load })
  const announcer = new Announcer({ bus: localBus(hub), clock, describe, loaded })
  await clock.advance(0)
  return announcer
}

test('asks a service of ours for everything about a transcript', async (t) => {
  const { stt } = openClient(t, ours(await startToneService(t)))
  assert.deepEqual(await hear(stt, 'book monday', ['de-DE', 'en-US']), { text: 'book monday', confidence: 1, language: 'de-DE' })
})

test('finds a service on the bus only when its models are loaded', async (t) => {
  const client = openClient(t)
  const loaded = Promise.withResolvers<void>()
  const announcer = await announce(client, 'one', await startToneService(t), undefined, loaded.promise)
  await client.clock.advance(1_000)
  assert.equal(client.servers.for('hearing').length, 0)
  loaded.resolve()
  await client.clock.advance(0)
  assert.equal(client.servers.for('hearing').length, 1)
  await announcer.close()
})

test('finds services on the bus, with their certificates, and loses those that leave or fall silent', async (t) => {
  const client = openClient(t)
  await assert.rejects(hear(client.stt, 'nobody'), /there is no speech service/)
  const certificate = selfMadeCertificate(Date.now())
  const [plain, secure] = [await startToneService(t), await startToneService(t, { certificate })]
  const one = await announce(client, 'one', plain)
  assert.equal(client.servers.for('hearing').length, 1)
  await one.close()
  await client.clock.advance(0)
  assert.equal(client.servers.for('hearing').length, 0)
  const two = await announce(client, 'two', secure, certificate.cert)
  assert.deepEqual(await hear(client.stt, 'over tls'), { text: 'over tls', confidence: 1, language: 'en' })
  await client.clock.advance(10_000)
  assert.equal(client.servers.for('hearing').length, 1)
  const foreign = await announce(client, 'three', secure, selfMadeCertificate(Date.now()).cert)
  await two.close()
  await client.clock.advance(0)
  await assert.rejects(hear(client.stt, 'another certificate'), /cannot be reached/)
  await foreign.close()
  assert.deepEqual(
    client.log.filter((event) => event !== 'speech_servers_changed'),
    ['speech_service_away', 'speech_service_back', 'speech_service_away'],
  )
})

test('loses no words when the server dies during a request', async (t) => {
  const { stt: slow, asked } = hangingStt()
  const dying = await startToneService(t, { stt: slow })
  const { stt, clock } = openClient(t, ours(dying), ours(await startToneService(t)))
  const heard = hear(stt, 'the running turn')
  await nextTurns(() => asked.count === 1)
  await dying.service.close()
  assert.deepEqual(await heard, { text: 'the running turn', confidence: 1, language: 'en' })
  await clock.advance(0)
})

test('asks a second server when the first one takes long', async (t) => {
  const { stt: slow, asked } = hangingStt()
  const { stt, clock } = openClient(t, ours(await startToneService(t, { stt: slow })), ours(await startToneService(t)))
  const heard = hear(stt, 'frozen')
  await nextTurns(() => asked.count === 1)
  await clock.advance(1_500)
  assert.deepEqual(await heard, { text: 'frozen', confidence: 1, language: 'en' })
})

/** Never answers. */
const hangingStt = (): { stt: Stt; asked: { count: number } } => {
  const asked = { count: 0 }
  const transcribe = (_from: number, _to: number, signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      asked.count++
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  return { stt: { name: 'hanging', hears: () => true, open: () => ({ transcribe, close: () => {} }) }, asked }
}

test('works with a third-party server, which gets nothing but OpenAI’s fields', async (t) => {
  const server = await openAiServer()
  t.after(() => server.close())
  const { stt, servers } = openClient(t, { url: `${server.url}/v1`, key: 'sk-test-0123456789abcdef', ours: false })
  const { track, from, to } = speakOnTrack('book monday')
  const stream = stt.open(track, { languages: ['de-DE'], vocabulary: [] }, observer)
  assert.deepEqual(await stream.transcribe(from, to, nobody), { text: 'book monday' })
  assert.equal(await stream.glance?.(from, to, nobody), undefined)
  stream.close()
  const pieces: Int16Array[] = []
  for await (const piece of serviceTts(servers, noVoices).synthesize({ text: 'Hello.', language: 'de', voice: 'de' }, nobody))
    pieces.push(piece)
  assert.equal(textOf(hearTones(joined(pieces), 16_000)), 'Hello.')
  assert.ok(server.requests.every(({ headers }) => headers['offhook-caller'] === undefined))
  assert.ok(server.requests.every(({ body }) => !body.includes('offhook')))
})

test('learns that a server of the settings is ours', async (t) => {
  const service = await startToneService(t)
  const { stt, servers } = openClient(t, { ...ours(service), ours: false })
  await nextTurns(() => servers.for('hearing')[0]?.ours === true)
  assert.deepEqual(await hear(stt, 'yes'), { text: 'yes', confidence: 1, language: 'en' })
})

test('does not take a server for gone that rejects a language', async (t) => {
  const onlyEnglish: Stt = { ...toneStt, hears: (language) => language.startsWith('en') }
  const { stt, log } = openClient(t, ours(await startToneService(t, { stt: onlyEnglish })))
  await assert.rejects(hear(stt, 'ja', ['de-DE']), /unsupported_language/)
  assert.deepEqual(await hear(stt, 'yes'), { text: 'yes', confidence: 1, language: 'en' })
  assert.deepEqual(log, [])
})

test('continues a sentence with the next server, at the same time of it', async (t) => {
  const text = 'A sentence that is cut off.'
  const half = toneSound(text).subarray(0, 8_000)
  const breaking = {
    ...toneTts,
    async *synthesize(): AsyncGenerator<Int16Array> {
      yield half
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw new Error('the model died')
    },
  }
  const { servers } = openClient(t, ours(await startToneService(t, { tts: breaking })), ours(await startToneService(t)))
  const pieces: Int16Array[] = []
  for await (const piece of serviceTts(servers, noVoices).synthesize({ text, language: 'en' }, nobody)) pieces.push(piece)
  assert.equal(toneMessages(resampleSound(joined(pieces), 16_000, 8_000))[0]?.text, text)
})

test('falls back to the models of the process, and returns to the service', async (t) => {
  const service = await startToneService(t)
  const client = openClient(t, ours(service))
  const local: Stt = {
    name: 'local',
    hears: () => true,
    open: () => ({ transcribe: () => Promise.resolve({ text: 'local' }), close: () => {} }),
  }
  const stt = sttWithFallbacks(client.stt, () => [local])
  const tts = ttsWithFallbacks(serviceTts(client.servers, noVoices), [toneTts])
  assert.deepEqual(await hear(stt, 'yes'), { text: 'yes', confidence: 1, language: 'en' })
  await service.service.close()
  assert.deepEqual(await hear(stt, 'yes'), { text: 'local' })
  const pieces: Int16Array[] = []
  for await (const piece of tts.synthesize({ text: 'Still here.', language: 'en' }, nobody)) pieces.push(piece)
  assert.equal(toneMessages(resampleSound(joined(pieces), 16_000, 8_000))[0]?.text, 'Still here.')
  await startToneService(t, { port: Number(new URL(service.url).port) })
  await client.clock.advance(2_000)
  assert.deepEqual(await hear(stt, 'back'), { text: 'back', confidence: 1, language: 'en' })
  assert.deepEqual(client.log, ['speech_service_away', 'speech_service_back'])
})
