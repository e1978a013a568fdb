import { azureServer } from '#test/speech/providers/azure-server.ts'
import { deepgramServer } from '#test/speech/providers/deepgram-server.ts'
import { elevenLabsServer } from '#test/speech/providers/elevenlabs-server.ts'
import { openAiServer } from '#test/speech/providers/openai-server.ts'
import { providerKey, type ProviderServer } from '#test/speech/providers/provider-server.ts'
import { sttConformance } from '#test/conformance/stt.ts'
import { ttsConformance } from '#test/conformance/tts.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { readSettings } from '#settings/config.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { toneSound } from '../tones/tone-speech.ts'
import { openProviders, type Providers } from './open-providers.ts'

interface Vendor {
  serve: () => Promise<ProviderServer>
  settings: (url: string) => Record<string, string>
}

const vendors: Record<'openai' | 'deepgram' | 'eleven_labs' | 'azure', Vendor> = {
  openai: { serve: openAiServer, settings: (url) => ({ OFFHOOK_OPENAI_URL: `${url}/v1`, OFFHOOK_OPENAI_KEY: providerKey }) },
  deepgram: { serve: deepgramServer, settings: (url) => ({ OFFHOOK_DEEPGRAM_URL: url, OFFHOOK_DEEPGRAM_KEY: providerKey }) },
  eleven_labs: { serve: elevenLabsServer, settings: (url) => ({ OFFHOOK_ELEVENLABS_URL: url, OFFHOOK_ELEVENLABS_KEY: providerKey }) },
  azure: { serve: azureServer, settings: (url) => ({ OFFHOOK_AZURE_URL: url, OFFHOOK_AZURE_KEY: providerKey }) },
}

/** A busy machine may answer after the seconds that a caller would wait. */
const patientClock = (): Clock => {
  const clock = realClock()
  return { ...clock, after: (ms, task) => clock.after(ms < 1_000 ? ms : ms * 20, task) }
}

const open = async ({ serve, settings }: Vendor): Promise<{ providers: Providers; close: () => Promise<void> }> => {
  const server = await serve()
  const providers = openProviders(readSettings(settings(server.url)), patientClock())
  return {
    providers,
    async close() {
      await providers.close()
      await server.close()
    },
  }
}

for (const name of ['openai', 'deepgram', 'eleven_labs', 'azure'] as const) {
  sttConformance({
    name,
    language: 'en-US',
    spoken: () =>
      ['Good morning', 'I need an appointment', 'On Monday at ten', 'No, thank you'].map((text) => ({ text, samples: toneSound(text) })),
    async open() {
      const { providers, close } = await open(vendors[name])
      return { stt: providers.stts[name]!, close }
    },
  })
}

for (const name of ['openai', 'eleven_labs', 'azure'] as const) {
  ttsConformance({
    name,
    language: 'en',
    async open() {
      const { providers, close } = await open(vendors[name])
      return { tts: providers.ttss[name]!, close }
    },
  })
}
