import { localBus } from '#adapters/bus/local-bus.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { serviceStt, serviceTts } from '#adapters/speech/remote/service-speech.ts'
import { SpeechServers } from '#adapters/speech/remote/speech-servers.ts'
import { sttWithFallbacks, ttsWithFallbacks } from '#adapters/speech/remote/with-fallbacks.ts'
import { spelledStt } from '#adapters/speech/spelled-stt.ts'
import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import type { Speech, Stt } from '#core/kernel/ports/speech.ts'
import type { Log } from '#log/log-events.ts'
import { CannotStart } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'

interface ServicesDeps {
  settings: Settings
  log: Log
  clock?: Clock
  bus?: Bus
}

interface Services {
  stt: Stt
  /** `own`: models and providers of this process, which are the fallbacks. */
  before(own: Speech): Speech
}

/** Speech services as the recogniser and the voice of a call process. */
export const openServices = ({ settings, log, clock = realClock(), bus = localBus() }: ServicesDeps): Services => {
  const {
    OFFHOOK_SPEECH_URL: urls,
    OFFHOOK_SPEECH_KEY: [key],
    OFFHOOK_SPEECH_FALLBACK: fallbacks,
  } = settings
  if (urls.length === 0 && bus.alone)
    throw new CannotStart(
      'OFFHOOK_SPEECH=service needs OFFHOOK_BUS, on which services are found, or their addresses in OFFHOOK_SPEECH_URL.',
      undefined,
    )
  let own: Speech | undefined
  let languages: readonly string[] = []
  const servers = new SpeechServers({
    clock,
    log,
    bus,
    addresses: urls.map((url) => ({ url, key, ours: false })),
    models: {
      hearing: settings.OFFHOOK_SPEECH_STT_MODEL,
      speaking: settings.OFFHOOK_SPEECH_TTS_MODEL,
      voice: settings.OFFHOOK_SPEECH_VOICE,
    },
    onAway: () => fallbacks.includes('embedded') && void own?.prepare(languages),
  })
  const stt = spelledStt(sttWithFallbacks(serviceStt(servers), () => fallbacks.flatMap((name) => own?.stt(name) ?? [])))
  return {
    stt,
    before(models) {
      own = models
      const tts = ttsWithFallbacks(
        serviceTts(servers, () => models.tts('embedded')?.voices?.() ?? []),
        fallbacks.flatMap((name) => models.tts(name) ?? []),
      )
      return {
        ...models,
        stt: (provider) => (provider === 'embedded' ? stt : models.stt(provider)),
        tts: (provider) => (provider === 'embedded' ? tts : models.tts(provider)),
        prepare(wanted) {
          languages = wanted
          return models.prepare([]) // only the detector
        },
        async close() {
          await servers.close()
          await models.close()
        },
      }
    },
  }
}
