import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { sampleRate, type Recording } from '../sets/recording.ts'
import type { Listener } from './listener.ts'

/** Synthesised by the embedded voice; contains no person's speech. */
export const synthesised = async ({ tts }: Listener, text: string, language: string, speed = 1): Promise<Recording> => {
  if (!tts) throw new Error('there is no embedded voice: `offhook models` fetches it')
  const pieces: number[] = []
  const utterance = { text: spokenText(text, language), language, speed }
  for await (const piece of tts.synthesize(utterance, new AbortController().signal)) pieces.push(...piece)
  const samples = Int16Array.from(resampleSound(Int16Array.from(pieces), tts.rate, sampleRate))
  return { name: text, text, language, samples }
}
