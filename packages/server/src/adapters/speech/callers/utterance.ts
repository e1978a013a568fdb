import type { CallersVoice, Hesitation } from '@offhook/contract/assistant/callers-sound.ts'
import type { CallersVoices } from './callers-voice.ts'

/** Words, or a silence inside a sentence. */
type Part = { text: string } | { pauseMs: number }

const defaultPauseMs = 500
/** Between a hesitation sound and the words around it. */
const fillerGapMs = 80

/** Splits a sentence at its hesitations. Words before a pause end with a comma, so that the voice does not fall. */
export const partsOf = (text: string, hesitations: readonly Hesitation[] = []): Part[] => {
  const parts: Part[] = []
  let from = 0
  for (const { after, pause_ms: pauseMs = defaultPauseMs, filler } of hesitations) {
    const to = text.indexOf(after, from) + after.length
    const words = text.slice(from, to).trim()
    if (words !== '') parts.push({ text: /[.,!?…]$/.test(words) ? words : `${words},` })
    if (filler !== undefined) parts.push({ pauseMs: fillerGapMs }, { text: `${filler},` })
    parts.push({ pauseMs })
    from = to
  }
  const rest = text.slice(from).trim()
  return /[\p{L}\p{N}]/u.test(rest) ? [...parts, { text: rest }] : parts
}

interface Sentence {
  text: string
  language: string
  voice?: CallersVoice | undefined
  hesitates?: readonly Hesitation[] | undefined
}

/** The sound of a sentence with its hesitations. */
export const soundOfSentence = async (
  voices: Pick<CallersVoices, 'soundOf'>,
  { text, language, voice, hesitates }: Sentence,
  rate: number,
): Promise<Int16Array> => {
  const sounds: Int16Array[] = []
  for (const part of partsOf(text, hesitates))
    sounds.push(
      'text' in part ? await voices.soundOf(part.text, language, voice) : new Int16Array(Math.round((part.pauseMs * rate) / 1000)),
    )
  const all = new Int16Array(sounds.reduce((length, sound) => length + sound.length, 0))
  sounds.reduce((at, sound) => (all.set(sound, at), at + sound.length), 0)
  return all
}
