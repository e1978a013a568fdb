import type { Tts } from '#core/kernel/ports/speech.ts'
import type { Loading } from '../loading.ts'
import type { Models } from '../models/models.ts'
import { openProgramVoices } from './program-voices.ts'
import { openSynthesiser, type Synthesiser } from './synthesiser.ts'
import type { Log } from '#log/log-events.ts'

interface Voices {
  /** Number of sentences that wait for a thread. */
  readonly waiting: number
  ttss: { embedded: Tts; pico?: Tts; espeak?: Tts }
  /** Loads the models of these languages and logs missing ones. */
  prepare(languages: readonly string[]): Promise<void>
  close(): Promise<void>
}

interface VoicesDeps {
  /** Undefined if models are turned off. */
  models: Pick<Models, 'folderWith'> | undefined
  /** Maximum threads per language. */
  workers: number
  log: Log
  loading: Pick<Loading, 'begin'>
  onWaited?: (seconds: number) => void
}

/** All voices without a provider: the embedded ones, and installed programs. */
export const openVoices = async ({ models, workers, log, loading, onWaited }: VoicesDeps): Promise<Voices> => {
  const { close: closePrograms, ...programs } = await openProgramVoices(log)
  const synthesiser = openSynthesiser({
    models,
    workers,
    others: [programs.pico, programs.espeak].filter((tts) => tts !== undefined),
    log,
    onWaited,
  })
  if (!programs.espeak) {
    const spoken = [...(models ? ['English', 'German'] : []), ...(programs.pico ? ['what pico2wave knows'] : [])].join(', ') || 'nothing'
    log('voices_limited', { spoken })
  }
  return {
    get waiting() {
      return synthesiser.waiting
    },
    ttss: { embedded: synthesiser, ...programs },
    async prepare(languages) {
      await Promise.all(languages.map((language) => warm(synthesiser, language, { log, loading })))
    },
    async close() {
      await synthesiser.close()
      await closePrograms()
    },
  }
}

/** Takes seconds while everything else already works; calls that need the voice wait for it. */
const warm = async (synthesiser: Synthesiser, language: string, { log, loading }: Pick<VoicesDeps, 'log' | 'loading'>): Promise<void> => {
  const ended = loading.begin(`voice ${language}`)
  try {
    await synthesiser.warm(language)
    ended('loaded')
  } catch (error) {
    ended('failed')
    log('voice_unavailable', { language, why: (error as Error).message })
  }
}
