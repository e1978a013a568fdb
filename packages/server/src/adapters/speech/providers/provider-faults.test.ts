// test: chance
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import { azureServer } from '#test/speech/providers/azure-server.ts'
import { elevenLabsServer } from '#test/speech/providers/elevenlabs-server.ts'
import { openForTest, soundOf, speakOnTrack, type ProvidersForTest } from '#test/speech/providers/open-for-test.ts'
import { openAiServer } from '#test/speech/providers/openai-server.ts'
import { providerKey, type ProviderFault } from '#test/speech/providers/provider-server.ts'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'

/** Every HTTP adapter: how to open it and how to send one request. */
const vendors = {
  openai: { name: 'OpenAI', open: openAi, kinds: ['tts', 'stt'] },
  eleven_labs: { name: 'ElevenLabs', open: elevenLabs, kinds: ['tts'] },
  azure: { name: 'Azure', open: azure, kinds: ['tts', 'stt'] },
} as const

async function openAi(t: TestContext): Promise<ProvidersForTest> {
  return openForTest(t, await openAiServer(), ({ url }) => ({ OFFHOOK_OPENAI_URL: `${url}/v1`, OFFHOOK_OPENAI_KEY: providerKey }))
}

async function elevenLabs(t: TestContext): Promise<ProvidersForTest> {
  return openForTest(t, await elevenLabsServer(), ({ url }) => ({ OFFHOOK_ELEVENLABS_URL: url, OFFHOOK_ELEVENLABS_KEY: providerKey }))
}

async function azure(t: TestContext): Promise<ProvidersForTest> {
  return openForTest(t, await azureServer(), ({ url }) => ({ OFFHOOK_AZURE_URL: url, OFFHOOK_AZURE_KEY: providerKey }))
}

type Ask = (signal?: AbortSignal) => Promise<unknown>

const asking = (providers: ProvidersForTest, vendor: keyof typeof vendors, kind: 'tts' | 'stt'): Ask => {
  if (kind === 'tts') return (signal) => soundOf(providers.tts(vendor), { text: 'hello stop', language: 'en-US' }, signal)
  const { track, from, to } = speakOnTrack('yes')
  const stream = providers.stt(vendor).open(track, { languages: ['en'], vocabulary: [] }, { failed: assert.fail })
  return (signal = new AbortController().signal) => stream.transcribe(from, to, signal)
}

const failing = async (ask: Ask): Promise<string> => {
  const error: unknown = await ask().then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof SpeechUnavailable, String(error))
  assert.ok(!inspect(error).includes(providerKey), error.message)
  return error.message
}

const statuses: [ProviderFault, RegExp][] = [
  [{ status: 400 }, /does not accept the request \(400, some_fault\)/],
  [{ status: 401 }, /does not accept the key \(401/],
  [{ status: 403 }, /does not allow this to the key \(403/],
  [{ status: 404 }, /does not know the model, the voice or the address \(404/],
  [{ status: 429 }, /has had too many requests \(429/],
  [{ status: 500, body: 'oops' }, /has a fault of its own \(500\)/],
  [{ status: 503, body: `{"error":{"code":"${providerKey}"}}` }, /has a fault of its own \(503\)/],
  [{ redirect: 'http://127.0.0.1:9/' }, /points to another address, which is not followed \(302\)/],
]

for (const [vendor, { name, open, kinds }] of Object.entries(vendors) as [keyof typeof vendors, (typeof vendors)['openai']][]) {
  for (const kind of kinds) {
    suite(`${name}, ${kind}`, () => {
      test('reports the fault and works again after recovery', async (t) => {
        const providers = await open(t)
        const ask = asking(providers, vendor, kind)
        for (const [fault, message] of statuses) {
          providers.server.fault = fault
          assert.match(await failing(ask), message)
          assert.match(await failing(ask), new RegExp(`^${name} `))
          providers.server.fault = undefined
          await providers.clock.advance(61_000)
          await ask()
        }
      })

      test('does not retry before Retry-After has passed', async (t) => {
        const providers = await open(t)
        const ask = asking(providers, vendor, kind)
        providers.server.fault = { status: 429, retryAfter: '20' }
        await failing(ask)
        providers.server.fault = undefined
        await providers.clock.advance(19_000)
        assert.match(await failing(ask), /429.*asked again in a moment/)
        assert.equal(providers.server.requests.length, 1)
        await providers.clock.advance(1_000)
        await ask()
      })

      test('gives up when the provider is silent, stalls or breaks off', async (t) => {
        const providers = await open(t)
        const ask = asking(providers, vendor, kind)
        const late = async (): Promise<string> => {
          const progress = { over: false }
          const failed = failing(ask).finally(() => (progress.over = true))
          while (!progress.over) await providers.clock.advance(500)
          return failed
        }
        providers.server.fault = 'silent'
        assert.match(await late(), /did not answer within 5000 ms/)
        await providers.clock.advance(60_000)
        providers.server.fault = 'stall'
        if (kind === 'tts') assert.match(await late(), /stopped in the middle/)
        providers.server.fault = 'cut'
        assert.match(await failing(ask), /broke off in the middle|not JSON/)
        if (kind === 'tts') {
          providers.server.fault = 'endless'
          assert.match(await failing(ask), /sent more than \d+ bytes/)
        }
        while (providers.server.connections > 0) await setImmediate()
      })

      test('rejects an answer of another type', async (t) => {
        const providers = await open(t)
        providers.server.fault = 'garbage'
        const message = kind === 'stt' ? /answers with something that is not JSON/ : /answers with application\/json instead of sound/
        assert.match(await failing(asking(providers, vendor, kind)), message)
      })

      test('an abort closes the connection immediately', async (t) => {
        const providers = await open(t)
        const ask = asking(providers, vendor, kind)
        for (const fault of ['silent', 'stall'] as const) {
          providers.server.fault = fault
          const stop = new AbortController()
          const asked = ask(stop.signal).then(
            () => 'ended',
            (error: unknown) => error,
          )
          while (providers.server.connections === 0) await setImmediate()
          for (let turn = 0; turn < 20; turn++) await setImmediate()
          stop.abort()
          const outcome = await asked
          assert.ok(outcome === 'ended' || outcome === stop.signal.reason, String(outcome))
          while (providers.server.connections > 0) await setImmediate()
        }
        const before = providers.server.requests.length
        await ask(AbortSignal.abort()).catch(() => {})
        assert.equal(providers.server.requests.length, before, 'nobody is asked for something that nobody wants')
      })

      test('sends the key only to the configured address', async (t) => {
        const seen: string[] = []
        const other = createServer((request, response) => {
          seen.push(JSON.stringify(request.headers))
          response.end()
        })
        other.listen(0, '127.0.0.1')
        await once(other, 'listening')
        t.after(() => other.close())
        const providers = await open(t)
        providers.server.fault = { redirect: `http://127.0.0.1:${(other.address() as AddressInfo).port}/` }
        await failing(asking(providers, vendor, kind))
        assert.deepEqual(seen, [])
      })

      test('replaces a keep-alive connection that was just closed', async (t) => {
        const providers = await open(t)
        const ask = asking(providers, vendor, kind)
        await ask()
        providers.server.fault = 'drop'
        await ask()
        assert.equal(providers.server.requests.length, 3)
      })

      test('fails fast when the provider is unreachable', async (t) => {
        const providers = await open(t)
        await providers.server.close()
        const ask = asking(providers, vendor, kind)
        assert.match(await failing(ask), /cannot be reached \(ECONNREFUSED\)/)
        assert.match(await failing(ask), /asked again in a moment/)
      })
    })
  }
}
