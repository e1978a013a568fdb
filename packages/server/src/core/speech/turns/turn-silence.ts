import type { expectations, turnTakings } from '@offhook/contract/assistant/actions.ts'
import type { turnEndRules } from '@offhook/contract/v2/timeline.ts'
import { spokenDigits } from './digits.ts'
import { lexiconOf } from './lexicon.ts'
import { spokenWords } from './spoken-words.ts'

/** How much time the caller is given, as the flow and its endpoint want it. */
export interface EndpointingPolicy {
  /** 500 is usual: others shorten and lengthen every pause. */
  silenceMs: number
  turnTaking: (typeof turnTakings)[number]
  expects: (typeof expectations)[number]
  /** With `expects: digits`, if it is known. */
  expectsDigits: number | undefined
}

export const defaultSilenceMs = 500
export const defaultEndpointing: EndpointingPolicy = { silenceMs: defaultSilenceMs, turnTaking: 'normal', expects: 'anything', expectsDigits: undefined }

interface Limits {
  leastMs: number
  mostMs: number
}

const limits: Record<EndpointingPolicy['expects'], Limits> = {
  anything: { leastMs: 350, mostMs: 1900 },
  yes_no: { leastMs: 250, mostMs: 900 },
  digits: { leastMs: 700, mostMs: 2000 },
  name: { leastMs: 500, mostMs: 1600 },
  address: { leastMs: 600, mostMs: 2200 },
  long: { leastMs: 700, mostMs: 2800 },
}
const dictation: Limits = { leastMs: 900, mostMs: 3000 }

const factors: Record<EndpointingPolicy['turnTaking'], { min: number; most: number }> = {
  quick: { min: 0.7, most: 0.6 },
  normal: { min: 1, most: 1 },
  patient: { min: 1.5, most: 1.4 },
  dictation: { min: 1, most: 1 },
  classic: { min: 1, most: 1 },
}

/** The larger, the sooner a turn is over that is only likely so. With 2 and up to 2 s every fourth pause inside a sentence ended one. */
const doubtExponent = 1.5

const answerMs = 300
/** The most that can be asked for (`vad.end_of_turn_silence_ms`): a flow that asks for 1,200 does not want to wait for five seconds. */
const maxRequestedMs = 2000
const minMs = 100

/** More of a number is to come: at least this long. Twice the usual silence, within bounds. */
const groupMs = { min: 900, most: 1200 }
/** Where digits are wanted: callers who pause for 0.8 s are noticed again after up to 1.05 s, when "six" or "five" begins softly. */
const wantedMs = 1200
const knownMissingMs = 1500

/** Before `mostAskedMs` cuts it off. */
const rawLimits = ({ silenceMs, turnTaking, expects }: EndpointingPolicy): Limits & { endMs: number } => {
  const own = turnTaking === 'dictation' && expects === 'anything' ? dictation : limits[expects]
  const factor = factors[turnTaking]
  const scale = silenceMs / defaultSilenceMs
  const floorMs = Math.max(minMs, own.leastMs * factor.min * scale)
  const maxMs = own.mostMs * factor.most
  return { leastMs: floorMs, mostMs: Math.max(floorMs, maxMs * scale), endMs: Math.max(floorMs, maxMs, maxRequestedMs) }
}

/** The words alone decide; where the endpoint says what it expects, that counts. */
const isClassic = ({ turnTaking, expects }: EndpointingPolicy): boolean => turnTaking === 'classic' && expects === 'anything'

/** Silence that ends the turn if it is surely over, and if it surely is not. */
export const limitsOf = (endpointing: EndpointingPolicy): Limits => {
  if (isClassic(endpointing)) return { leastMs: answerSilence(endpointing), mostMs: groupSilence(endpointing, false) }
  const { leastMs: floorMs, mostMs: maxMs, endMs } = rawLimits(endpointing)
  return { leastMs: floorMs, mostMs: Math.min(maxMs, endMs) }
}

export interface TurnSilence {
  ms: number
  /** Why it is as long as it is. */
  rule: (typeof turnEndRules)[number]
}

/** However sure it is, no turn ends before. */
export const minSilence = (endpointing: EndpointingPolicy): number => Math.min(limitsOf(endpointing).leastMs, answerSilence(endpointing))

/** The words are asked for before it is sure that the turn is over; early where the answer may be needed early. */
export const askAfterMs = (turnMs: number, { expects }: EndpointingPolicy): number =>
  turnMs < shortTurnMs || expects === 'digits' ? askMs.early : askMs.usual
const shortTurnMs = 4000
const askMs = { early: 120, usual: 200 }

/** Nothing was understood. Where digits are expected that may be a group of them, which is understood together with the next. */
export const silenceWithoutWords = (endpointing: EndpointingPolicy): TurnSilence => ({
  ms: endpointing.expects === 'digits' ? groupSilence(endpointing, true) : endpointing.silenceMs,
  rule: 'no_words',
})

/** How long the caller must be silent after these words, so that the turn is over; `probability`: that it is. */
export const silenceAfter = (
  { text, language }: { text: string; language: string },
  probability: number,
  endpointing: EndpointingPolicy,
): TurnSilence => {
  const { leastMs: floorMs, mostMs: maxMs, endMs } = rawLimits(endpointing)
  const digits = spokenDigits(text, language)
  const { expects, expectsDigits = Infinity, turnTaking } = endpointing
  const readsOut = expects === 'digits' || (turnTaking === 'dictation' && expects === 'anything')
  if (expects === 'digits' && digits.atEnd && digits.count >= expectsDigits) return { ms: answerMs, rule: 'all_digits' }
  if (isAnswer(text, language)) return { ms: answerSilence(endpointing), rule: 'answer' }
  if (isClassic(endpointing)) return classicSilence(text, language, endpointing)
  const ms = Math.round(Math.min(floorMs + (maxMs - floorMs) * (1 - probability) ** doubtExponent, endMs))
  const more = groupSilence(endpointing, readsOut)
  return digits.atEnd && (digits.group || readsOut) && more > ms ? { ms: more, rule: 'digits' } : { ms, rule: 'probability' }
}

const isAnswer = (text: string, language: string): boolean => lexiconOf(language)?.answers.has(spokenWords(text).join(' ')) === true

/** Where more than an answer is wanted, "okay" may be how it begins. */
const answerSilence = (endpointing: EndpointingPolicy): number => {
  const { expects, turnTaking, silenceMs } = endpointing
  if (turnTaking === 'dictation' || (expects !== 'anything' && expects !== 'yes_no')) return limitsOf(endpointing).leastMs
  const usual = silenceMs * factors[turnTaking].min
  return Math.round(Math.min(usual, Math.max(answerMs, 0.6 * usual)))
}

const groupSilence = ({ silenceMs, expectsDigits }: EndpointingPolicy, readsOut: boolean): number => {
  const usual = Math.max(silenceMs, Math.min(Math.max(2 * silenceMs, groupMs.min), groupMs.most))
  if (!readsOut) return usual
  return Math.max(usual, expectsDigits === undefined ? wantedMs : knownMissingMs)
}

/** Something follows, or may: recognisers put commas where they know no better. */
const opens = /(?:[:;–—-]|…|\.{2,})$/u
const hangs = /,$/

/** By the words alone: as long as the flow wants, longer where something is missing. */
const classicSilence = (text: string, language: string, endpointing: EndpointingPolicy): TurnSilence => {
  const written = text.trim()
  const isQuestion = written.endsWith('?')
  if (!isQuestion && spokenDigits(text, language).group) return { ms: groupSilence(endpointing, false), rule: 'digits' }
  const isOpen = opens.test(written) || (!isQuestion && lexiconOf(language)?.openers.has(spokenWords(text).at(-1) ?? '') === true)
  if (isOpen) return { ms: groupSilence(endpointing, false), rule: 'words' }
  const { silenceMs } = endpointing
  return { ms: hangs.test(written) ? Math.max(silenceMs, Math.min(1.5 * silenceMs, groupMs.most)) : silenceMs, rule: 'words' }
}
