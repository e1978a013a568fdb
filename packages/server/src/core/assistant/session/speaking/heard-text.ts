import { wordsWithin } from '@offhook/contract/assistant/barge-in.ts'

/** Words and when they sound, in milliseconds since the speech's first sample. */
export interface TimedWords {
  text: string
  fromMs: number
  /** Undefined: more of its sound is still coming. */
  toMs: number | undefined
}

/** How long a character lasts about, for sound that is not complete yet. */
const msPerCharacter = 65

export const estimatedMs = (text: string): number => text.length * msPerCharacter

/** What was heard of a speech that was stopped: whole words only. Inside one utterance the words are taken to be spread evenly. */
export const heardText = (utterances: readonly TimedWords[], playedMs: number, writtenMs: number): string =>
  utterances
    .filter(({ fromMs }) => fromMs < playedMs)
    .map(({ text, fromMs, toMs }) => {
      if (toMs !== undefined && toMs <= playedMs) return text
      const lasts = toMs === undefined ? Math.max(writtenMs - fromMs, estimatedMs(text)) : toMs - fromMs
      return wordsWithin(text, (playedMs - fromMs) / lasts)
    })
    .filter((text) => text !== '')
    .join(' ')
