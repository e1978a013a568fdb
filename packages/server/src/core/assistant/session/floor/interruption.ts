import type { InterruptionReason } from '@offhook/contract/v2/timeline.ts'
import { hasEnoughCharacters, type BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { Cut } from '../conversation/barge-in.ts'
import { isStopWord, withoutBackChannels, wordsOf } from './back-channels.ts'

/** What was understood while the assistant speaks. */
export interface Interjection {
  text: string
  /** Missing: the recogniser does not say how sure it is, and is believed. */
  confidence?: number | undefined
  /** BCP 47. */
  language: string
  /** How much voice there was until then. */
  voicedMs: number
  /** The speech ends in a question, and its last clause sounds: then "yes" is the answer to it and nothing to be talked over. */
  answers: boolean
  /** The caller's turn is over, or was typed: no better words will come. */
  final: boolean
}

/** Below this, single words are guesses. */
const sure = 0.6
/** Two of them are hardly wrong both, unless there was no time for two: recognisers make up words for a beginning. */
const likely = 0.4
const twoWordsMs = 300
/** Where the turn is over. Less sure words are not to be acted on. */
const clear = 0.5
/** A voice that lasts this long and has a word in it wants the floor. */
const longVoiceMs = 700
/** Fewer letters are as likely a piece of a longer word, or of a cough. */
const minLetters = 3
const minLettersOfAnswers = 2

/** Nobody says more letters than that in so short a time; of two more words may be guessed to their end. */
const lettersPerSecond = 22
const guessedLetters = 2
const isSayable = (letters: number, ms: number): boolean => letters <= guessedLetters + (lettersPerSecond * ms) / 1000

/** Why these words stop the assistant (barge-in strategy `words`); undefined: they do not. */
export const reasonToStop = (heard: Interjection): InterruptionReason | undefined => {
  const { text, language, answers, voicedMs, final } = heard
  const all = wordsOf(text)
  const said = answers ? all : withoutBackChannels(all, language)
  if (said.length === 0) return undefined
  if (said.some((word) => isStopWord(word, language))) return 'stop_word'
  const confidence = heard.confidence ?? 1
  if (final) return confidence >= clear ? (answers ? 'answer' : 'end_of_turn') : undefined
  const letters = said.join('').replaceAll("'", '').length
  if (letters < (answers ? minLettersOfAnswers : minLetters) || !isSayable(letters, voicedMs)) return undefined
  const several = new Set(said).size > 1 && voicedMs >= twoWordsMs
  if (confidence >= sure || (several && confidence >= likely)) return answers ? 'answer' : 'words'
  return voicedMs >= longVoiceMs ? 'long_voice' : undefined
}

/** What ends a speech with this rule, if something does. */
export const cutBy = (rule: BargeInRule, heard: Interjection): Cut | undefined => {
  const enough = rule.strategy !== 'words' && hasEnoughCharacters(rule, heard.text) ? 'characters' : undefined
  const reason = rule.strategy === 'words' ? reasonToStop(heard) : enough
  return reason && { reason, text: heard.text }
}

/** Words, and all of them only show that the caller listens. */
export const isBackChannel = (text: string, language: string): boolean => {
  const words = wordsOf(text)
  return words.length > 0 && withoutBackChannels(words, language).length === 0
}
