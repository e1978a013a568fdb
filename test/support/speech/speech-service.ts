import type { Speech, Stt, Tts } from '#core/kernel/ports/speech.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { SpeechService, type SpeechServiceDeps } from '#adapters/speech/server/speech-service.ts'
import { toneStt, toneTts } from '#adapters/speech/tones/tone-speech.ts'
import type { Scope } from '../machine/temporary-folder.ts'

export const serviceKey = 'sk-speech-0123456789'

export interface ServiceForTest {
  service: SpeechService
  /** Up to where /audio/speech follows. */
  url: string
}

interface Replaced extends Partial<Pick<SpeechServiceDeps, 'workers' | 'certificate' | 'clock'>> {
  stt?: Stt
  tts?: Tts
  vad?: Speech['vad']
  port?: number
}

const deaf: Speech['vad'] = {
  listen: () => {
    throw new Error('this test needs no detection')
  },
}

/** A speech service that hears and speaks tones, on a free loopback port. */
export const startToneService = async (
  t: Scope,
  { stt = toneStt, tts = toneTts, vad = deaf, port = 0, ...deps }: Replaced = {},
): Promise<ServiceForTest> => {
  const service = new SpeechService({
    speech: { stt, tts, vad },
    clock: realClock(),
    log: () => {},
    keys: [serviceKey],
    workers: 1,
    certificate: undefined,
    ...deps,
  })
  t.after(() => service.close())
  return { service, url: `${await service.listen({ host: '127.0.0.1', port })}/v1` }
}
