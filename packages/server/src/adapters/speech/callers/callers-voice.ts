import { noiseSeconds } from './line-sound.ts'
import type { CallersVoice } from '@offhook/contract/assistant/callers-sound.ts'
import { SpeechUnavailable, type Tts } from '#core/kernel/ports/speech.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { missingPackages } from '../models/model-list.ts'
import { openProgramVoices } from '../synthesiser/program-voices.ts'
import { openSynthesiser, type SynthesiserDeps } from '../synthesiser/synthesiser.ts'

/** Synthesizes a caller's speech for tests with sound. */
export interface CallersVoices {
  /** Returns the whole sound. Repeated texts come from a cache. */
  soundOf(text: string, language: string, voice?: CallersVoice): Promise<Int16Array>
  /** Several people who talk at the same time, to be repeated. */
  babble(language: string): Promise<Int16Array>
  close(): Promise<void>
}

/** Uses the models in this folder and fetches none. Rejects with the missing packages. */
export const openCallersVoices = async (folder: string, rate: number): Promise<CallersVoices> => {
  const log = (): void => {}
  const { close: closePrograms, ...programs } = await openProgramVoices(log)
  const others = [programs.pico, programs.espeak].filter((tts) => tts !== undefined)
  const models: SynthesiserDeps['models'] = {
    folderWith: async (...parts) => {
      const missing = (await missingPackages(folder, parts)).map(({ name }) => name).join(', ')
      if (missing !== '') throw new SpeechUnavailable(`not fetched: ${missing}; run \`npx offhook models\``)
      return folder
    },
  }
  const embedded = openSynthesiser({ models, workers: 1, others, log, isSteady: true })
  const speak = async (text: string, language: string, { engine = 'embedded', name, speed, pitch }: CallersVoice): Promise<Int16Array> => {
    const tts: Tts | undefined = engine === 'embedded' ? embedded : programs[engine]
    if (!tts) throw new SpeechUnavailable(`${engine} is not installed; leave out engine: ${engine}, or install it`)
    if (engine === 'embedded') await embedded.warm(language)
    const how = { ...(name !== undefined && { voice: name }), ...(speed !== undefined && { speed }), ...(pitch !== undefined && { pitch }) }
    const samples: number[] = []
    for await (const piece of tts.synthesize({ text: spokenText(text, language), language, ...how }, new AbortController().signal))
      samples.push(...piece)
    return resampleSound(Int16Array.from(samples), tts.rate, rate)
  }
  const made = new Map<string, Promise<Int16Array>>()
  const soundOf = (text: string, language: string, voice: CallersVoice = {}): Promise<Int16Array> => {
    const key = JSON.stringify([language, text, voice])
    const sound = made.get(key) ?? speak(text, language, voice)
    made.set(key, sound)
    return sound
  }
  return {
    soundOf,
    babble: async (language) =>
      mixed(await Promise.all(talkers.map((voice, nth) => soundOf(talkOf(language, nth), language, voice))), rate),
    async close() {
      await embedded.close()
      await closePrograms()
    },
  }
}

/** With fewer, single words are understood. */
const talkers: readonly CallersVoice[] = [
  { pitch: -4, speed: 0.9 },
  { pitch: 3 },
  { pitch: -1, speed: 1.15 },
  { pitch: 5, speed: 0.95 },
  { pitch: -6, speed: 1.1 },
  { pitch: 1, speed: 0.85 },
]
const talks = {
  en: [
    'I told them twice that the parcel had to leave on Monday, and now it is still lying there.',
    'Have you seen the new kitchen on the second floor? It is much larger than the old one.',
    'We could take the early train, then we would be there before the others arrive.',
  ],
  de: [
    'Ich habe zweimal gesagt, dass das Paket am Montag weg muss, und jetzt liegt es immer noch da.',
    'Hast du die neue Küche im zweiten Stock gesehen? Sie ist viel größer als die alte.',
    'Wir könnten den frühen Zug nehmen, dann wären wir vor den anderen da.',
  ],
} as const
const talkOf = (language: string, nth: number): string => talks[language.startsWith('de') ? 'de' : 'en'][nth % 3] ?? ''

/** Each voice is repeated from another place on. */
const mixed = (voices: readonly Int16Array[], rate: number): Int16Array =>
  Int16Array.from({ length: noiseSeconds * rate }, (_, at) =>
    voices.reduce((sum, voice, nth) => sum + (voice[(at + nth * rate) % Math.max(1, voice.length)] ?? 0) / voices.length, 0),
  )
