import type { expectations, turnTakings } from '@offhook/contract/assistant/actions.ts'
import type { turnEndRules } from '@offhook/contract/v2/timeline.ts'
import { spokenDigits } from './digits.ts'
import { lexiconOf } from './lexicon.ts'
import { spokenWords } from './spoken-words.ts'

/** How much time the caller is given, as the flow and its endpoint want it. */
export interface Patience {
  /** 500 is usual: others shorten and lengthen every pause. */
  silenceMs: number
  turnTaking: (typeof turnTakings)[number]
  expects: (typeof expectations)[number]
  /** With `expects: digits`, if it is known. */
  expectsDigits: number | undefined
}

export const usualSilenceMs = 500
export const usualPatience: Patience = { silenceMs: usualSilenceMs, turnTaking: 'normal', expects: 'anything', expectsDigits: undefined }

interface Limits {
  leastMs: number
  mostMs: number
}

const limits: Record<Patience['expects'], Limits> = {
  anything: { leastMs: 350, mostMs: 1900 },
  yes_no: { leastMs: 250, mostMs: 900 },
  digits: { leastMs: 700, mostMs: 2000 },
  name: { leastMs: 500, mostMs: 1600 },
  address: { leastMs: 600, mostMs: 2200 },
  long: { leastMs: 700, mostMs: 2800 },
}
const dictation: Limits = { leastMs: 900, mostMs: 3000 }

const factors: Record<Patience['turnTaking'], { least: number; most: number }> = {
  quick: { least: 0.7, most: 0.6 },
  normal: { least: 1, most: 1 },
  patient: { least: 1.5, most: 1.4 },
  dictation: { least: 1, most: 1 },
  classic: { least: 1, most: 1 },
}

/** The larger, the sooner a turn is over that is only likely so. With 2 and up to 2 s every fourth pause inside a sentence ended one. */
const doubtExponent = 1.5

const answerMs = 300
/** The most that can be asked for (`vad.end_of_turn_silence_ms`): a flow that asks for 1,200 does not want to wait for five seconds. */
const mostAskedMs = 2000
const shortestMs = 100

/** More of a number is to come: at least this long. Twice the usual silence, within bounds. */
const groupMs = { least: 900, most: 1200 }
/** Where digits are wanted: callers who pause for 0.8 s are noticed again after up to 1.05 s, when "six" or "five" begins softly. */
const wantedMs = 1200
const knownMissingMs = 1500

/** Before `mostAskedMs` cuts it off. */
const rawLimits = ({ silenceMs, turnTaking, expects }: Patience): Limits & { endMs: number } => {
  const own = turnTaking === 'dictation' && expects === 'anything' ? dictation : limits[expects]
  const factor = factors[turnTaking]
  const scale = silenceMs / usualSilenceMs
  const leastMs = Math.max(shortestMs, own.leastMs * factor.least * scale)
  const mostMs = own.mostMs * factor.most
  return { leastMs, mostMs: Math.max(leastMs, mostMs * scale), endMs: Math.max(leastMs, mostMs, mostAskedMs) }
}

/** The words alone decide; where the endpoint says what it expects, that counts. */
const isClassic = ({ turnTaking, expects }: Patience): boolean => turnTaking === 'classic' && expects === 'anything'

/** Silence that ends the turn if it is surely over, and if it surely is not. */
export const limitsOf = (patience: Patience): Limits => {
  if (isClassic(patience)) return { leastMs: answerSilence(patience), mostMs: groupSilence(patience, false) }
  const { leastMs, mostMs, endMs } = rawLimits(patience)
  return { leastMs, mostMs: Math.min(mostMs, endMs) }
}

export interface TurnSilence {
  ms: number
  /** Why it is as long as it is. */
  rule: (typeof turnEndRules)[number]
}

/** However sure it is, no turn ends before. */
export const shortestSilence = (patience: Patience): number => Math.min(limitsOf(patience).leastMs, answerSilence(patience))

/** The words are asked for before it is sure that the turn is over; early where the answer may be needed early. */
export const askAfterMs = (turnMs: number, { expects }: Patience): number =>
  turnMs < shortTurnMs || expects === 'digits' ? askMs.early : askMs.usual
const shortTurnMs = 4000
const askMs = { early: 120, usual: 200 }

/** Nothing was understood. Where digits are expected that may be a group of them, which is understood together with the next. */
export const silenceWithoutWords = (patience: Patience): TurnSilence => ({
  ms: patience.expects === 'digits' ? groupSilence(patience, true) : patience.silenceMs,
  rule: 'no_words',
})

/** How long the caller must be silent after these words, so that the turn is over; `probability`: that it is. */
export const silenceAfter = (
  { text, language }: { text: string; language: string },
  probability: number,
  patience: Patience,
): TurnSilence => {
  const { leastMs, mostMs, endMs } = rawLimits(patience)
  const digits = spokenDigits(text, language)
  const { expects, expectsDigits = Infinity, turnTaking } = patience
  const readsOut = expects === 'digits' || (turnTaking === 'dictation' && expects === 'anything')
  if (expects === 'digits' && digits.atEnd && digits.count >= expectsDigits) return { ms: answerMs, rule: 'all_digits' }
  if (isAnswer(text, language)) return { ms: answerSilence(patience), rule: 'answer' }
  if (isClassic(patience)) return classicSilence(text, language, patience)
  const ms = Math.round(Math.min(leastMs + (mostMs - leastMs) * (1 - probability) ** doubtExponent, endMs))
  const more = groupSilence(patience, readsOut)
  return digits.atEnd && (digits.group || readsOut) && more > ms ? { ms: more, rule: 'digits' } : { ms, rule: 'probability' }
}

const isAnswer = (text: string, language: string): boolean => lexiconOf(language)?.answers.has(spokenWords(text).join(' ')) === true

/** Where more than an answer is wanted, "okay" may be how it begins. */
const answerSilence = (patience: Patience): number => {
  const { expects, turnTaking, silenceMs } = patience
  if (turnTaking === 'dictation' || (expects !== 'anything' && expects !== 'yes_no')) return limitsOf(patience).leastMs
  const usual = silenceMs * factors[turnTaking].least
  return Math.round(Math.min(usual, Math.max(answerMs, 0.6 * usual)))
}

const groupSilence = ({ silenceMs, expectsDigits }: Patience, readsOut: boolean): number => {
  const usual = Math.max(silenceMs, Math.min(Math.max(2 * silenceMs, groupMs.least), groupMs.most))
  if (!readsOut) return usual
  return Math.max(usual, expectsDigits === undefined ? wantedMs : knownMissingMs)
}

/** Something follows, or may: recognisers put commas where they know no better. */
const opens = /(?:[:;–—-]|…|\.{2,})$/u
const hangs = /,$/

/** By the words alone: as long as the flow wants, longer where something is missing. */
const classicSilence = (text: string, language: string, patience: Patience): TurnSilence => {
  const written = text.trim()
  const isQuestion = written.endsWith('?')
  if (!isQuestion && spokenDigits(text, language).group) return { ms: groupSilence(patience, false), rule: 'digits' }
  const isOpen = opens.test(written) || (!isQuestion && lexiconOf(language)?.openers.has(spokenWords(text).at(-1) ?? '') === true)
  if (isOpen) return { ms: groupSilence(patience, false), rule: 'words' }
  const { silenceMs } = patience
  return { ms: hangs.test(written) ? Math.max(silenceMs, Math.min(1.5 * silenceMs, groupMs.most)) : silenceMs, rule: 'words' }
}
