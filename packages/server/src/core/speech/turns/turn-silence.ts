import type { expectations, turnTakings } from '@offhook/contract/assistant/actions.ts'
import type { turnEndRules } from '@offhook/contract/v2/timeline.ts'
import { spokenDigits, lexiconOf, spokenWords } from './embedded-turn-detector.ts'

/** Endpointing settings of the flow and its endpoint. */
export interface EndpointingPolicy {
  /** Scales every pause; default 500. */
  silenceMs: number
  turnTaking: (typeof turnTakings)[number]
  expects: (typeof expectations)[number]
  /** Number of digits with `expects: digits`, if known. */
  expectsDigits: number | undefined
  /** Answers to choose from with `expects: options`. */
  expectsOptions?: readonly string[] | undefined
}

const defaultSilenceMs = 500
export const defaultEndpointing: EndpointingPolicy = {
  silenceMs: defaultSilenceMs,
  turnTaking: 'normal',
  expects: 'anything',
  expectsDigits: undefined,
}

interface Limits {
  leastMs: number
  mostMs: number
}

const limits: Record<EndpointingPolicy['expects'], Limits> = {
  anything: { leastMs: 350, mostMs: 1900 },
  yes_no: { leastMs: 250, mostMs: 900 },
  options: { leastMs: 300, mostMs: 1200 },
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

/** Larger values end a merely likely turn sooner. With 2 and up to 2 s every fourth pause inside a sentence ended a turn. */
const doubtExponent = 1.5

const answerMs = 300
/** Maximum configurable silence (`vad.end_of_turn_silence_ms`): a flow that asks for 1,200 does not want to wait for five seconds. */
const maxRequestedMs = 2000
const minMs = 100

/** Minimum silence while more digits may follow: twice the default silence, within bounds. */
const groupMs = { min: 900, most: 1200 }
/** While digits are expected: a caller who pauses for 0.8 s is detected again after up to 1.05 s, when "six" or "five" begins softly. */
const wantedMs = 1200
const knownMissingMs = 1500

/** Limits before the cap at `maxRequestedMs`. */
const rawLimits = ({ silenceMs, turnTaking, expects }: EndpointingPolicy): Limits & { endMs: number } => {
  const own = turnTaking === 'dictation' && expects === 'anything' ? dictation : limits[expects]
  const factor = factors[turnTaking]
  const scale = silenceMs / defaultSilenceMs
  const floorMs = Math.max(minMs, own.leastMs * factor.min * scale)
  const maxMs = own.mostMs * factor.most
  return { leastMs: floorMs, mostMs: Math.max(floorMs, maxMs * scale), endMs: Math.max(floorMs, maxMs, maxRequestedMs) }
}

/** Decides by words alone, unless the endpoint states an expectation. */
const isClassic = ({ turnTaking, expects }: EndpointingPolicy): boolean => turnTaking === 'classic' && expects === 'anything'

/** Silence that ends a turn that is certainly complete, and one that certainly is not. */
export const limitsOf = (endpointing: EndpointingPolicy): Limits => {
  if (isClassic(endpointing)) return { leastMs: answerSilence(endpointing), mostMs: groupSilence(endpointing, false) }
  const { leastMs: floorMs, mostMs: maxMs, endMs } = rawLimits(endpointing)
  return { leastMs: floorMs, mostMs: Math.min(maxMs, endMs) }
}

export interface TurnSilence {
  ms: number
  /** Rule that determined the duration. */
  rule: (typeof turnEndRules)[number]
}

/** Minimum silence before any turn ends. */
export const minSilence = (endpointing: EndpointingPolicy): number => Math.min(limitsOf(endpointing).leastMs, answerSilence(endpointing))

/** Milliseconds of silence before a transcript is requested, ahead of the end of the turn; early where the answer may be needed early. */
export const askAfterMs = (turnMs: number, { expects }: EndpointingPolicy): number =>
  turnMs < shortTurnMs || expects === 'digits' ? askMs.early : askMs.usual
const shortTurnMs = 4000
const askMs = { early: 120, usual: 200 }

/** Silence after an empty transcript. With expected digits it may be a group, which is recognised together with the next. */
export const silenceWithoutWords = (endpointing: EndpointingPolicy): TurnSilence => ({
  ms: endpointing.expects === 'digits' ? groupSilence(endpointing, true) : endpointing.silenceMs,
  rule: 'no_words',
})

/** Required silence after these words; `probability`: that the turn is complete. */
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

/** If more than an answer is expected, "okay" may be its start. */
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

/** More may follow: recognisers also put commas where they are uncertain. */
const opens = /(?:[:;–—-]|…|\.{2,})$/u
const hangs = /,$/

/** Uses words alone: the configured silence, longer for incomplete sentences. */
const classicSilence = (text: string, language: string, endpointing: EndpointingPolicy): TurnSilence => {
  const written = text.trim()
  const isQuestion = written.endsWith('?')
  if (!isQuestion && spokenDigits(text, language).group) return { ms: groupSilence(endpointing, false), rule: 'digits' }
  const isOpen = opens.test(written) || (!isQuestion && lexiconOf(language)?.openers.has(spokenWords(text).at(-1) ?? '') === true)
  if (isOpen) return { ms: groupSilence(endpointing, false), rule: 'words' }
  const { silenceMs } = endpointing
  return { ms: hangs.test(written) ? Math.max(silenceMs, Math.min(1.5 * silenceMs, groupMs.most)) : silenceMs, rule: 'words' }
}
