import { toneMessages, toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { resampleSound } from '#media/codec/resample.ts'

const toneRate = 8000

export interface ToneWord {
  text: string
  /** Position in samples at the rate of the sound. */
  from: number
  to: number
}

export const sayInTones = (text: string, rate: number): Int16Array => resampleSound(toneSound(text), toneRate, rate)

/** Words with their positions, as recognisers report them; also of an unfinished text. */
export const hearTones = (samples: Int16Array, rate: number): ToneWord[] => {
  const scale = rate / toneRate
  const words: ToneWord[] = []
  for (const { text, from, to, complete, ended } of toneMessages(resampleSound(samples, rate, toneRate))) {
    if (ended && !complete) continue
    const letter = (to - from) / (Buffer.byteLength(text) + (ended ? 3 : 1))
    const place = (characters: string): number => Math.round((from + letter * (1 + Buffer.byteLength(characters))) * scale)
    for (const { 0: word, index } of text.matchAll(/\S+/g))
      words.push({ text: word, from: place(text.slice(0, index)), to: place(text.slice(0, index + word.length)) })
  }
  return words
}

export const textOf = (words: readonly ToneWord[]): string => words.map(({ text }) => text).join(' ')
