import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { missingPackages } from '../models/model-list.ts'
import { openProgramVoices } from './program-voices.ts'
import { openSynthesiser, type SynthesiserDeps } from './synthesiser.ts'

/** Synthesizes a caller's speech for tests with sound. */
export interface CallersVoice {
  /** Returns the whole sound. Repeated texts come from a cache. */
  soundOf(text: string, language: string): Promise<Int16Array>
  close(): Promise<void>
}

/** Uses the models in this folder and fetches none. Rejects with the missing packages. */
export const openCallersVoice = async (folder: string, rate: number): Promise<CallersVoice> => {
  const log = (): void => {}
  const { close: closePrograms, pico, espeak } = await openProgramVoices(log)
  const others = [pico, espeak].filter((tts) => tts !== undefined)
  const models: SynthesiserDeps['models'] = {
    folderWith: async (...parts) => {
      const missing = (await missingPackages(folder, parts)).map(({ name }) => name).join(', ')
      if (missing !== '') throw new SpeechUnavailable(`not fetched: ${missing}; run \`npx offhook models\``)
      return folder
    },
  }
  const synthesiser = openSynthesiser({ models, workers: 1, others, log })
  const made = new Map<string, Promise<Int16Array>>()
  const make = async (text: string, language: string): Promise<Int16Array> => {
    await synthesiser.warm(language)
    const utterance = { text: spokenText(text, language), language }
    const samples: number[] = []
    for await (const piece of synthesiser.synthesize(utterance, new AbortController().signal)) samples.push(...piece)
    return resampleSound(Int16Array.from(samples), synthesiser.rate, rate)
  }
  return {
    soundOf(text, language) {
      const key = JSON.stringify([language, text])
      const sound = made.get(key) ?? make(text, language)
      made.set(key, sound)
      return sound
    },
    async close() {
      await synthesiser.close()
      await closePrograms()
    },
  }
}
