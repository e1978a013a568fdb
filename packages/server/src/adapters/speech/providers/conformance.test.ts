import { azureServer } from '../../../../../../test/support/providers/azure-server.ts'
import { elevenLabsServer } from '../../../../../../test/support/providers/elevenlabs-server.ts'
import { openAiServer } from '../../../../../../test/support/providers/openai-server.ts'
import { providerKey, type ProviderServer } from '../../../../../../test/support/providers/provider-server.ts'
import { ttsConformance } from '../../../../../../test/conformance/tts.ts'
import { VirtualClock } from '../../../../../../test/support/virtual-clock.ts'
import { readSettings } from '../../../config.ts'
import type { SpeechProvider } from '../../../core/ports/speech.ts'
import { openProviders, type Providers } from './open-providers.ts'

interface Vendor {
  serve(): Promise<ProviderServer>
  settings(url: string): Record<string, string>
}

const vendors: Partial<Record<SpeechProvider, Vendor>> = {
  openai: { serve: openAiServer, settings: (url) => ({ OFFHOOK_OPENAI_URL: `${url}/v1`, OFFHOOK_OPENAI_KEY: providerKey }) },
  eleven_labs: { serve: elevenLabsServer, settings: (url) => ({ OFFHOOK_ELEVENLABS_URL: url, OFFHOOK_ELEVENLABS_KEY: providerKey }) },
  azure: { serve: azureServer, settings: (url) => ({ OFFHOOK_AZURE_URL: url, OFFHOOK_AZURE_KEY: providerKey }) },
}

const open = async ({ serve, settings }: Vendor): Promise<{ providers: Providers; close: () => Promise<void> }> => {
  const server = await serve()
  const providers = openProviders(readSettings(settings(server.url)), new VirtualClock())
  return {
    providers,
    async close() {
      await providers.close()
      await server.close()
    },
  }
}

for (const name of ['openai', 'eleven_labs', 'azure'] as const) {
  ttsConformance({
    name,
    language: 'en',
    async open() {
      const { providers, close } = await open(vendors[name]!)
      return { tts: providers.ttss[name]!, close }
    },
  })
}
