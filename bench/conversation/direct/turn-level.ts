import { asDigits } from '#core/speech/spelling/as-digits.ts'
import { spread } from '../../shared/percentiles.ts'
import { atLeast, atMost, ms, percent, plain, type Row } from '../report/rows.ts'
import { scoreInterruptions } from '../scoring/interruptions.ts'
import { meanSplitRate, splitAtSentences, splitRates, type TurnOutcome } from '../scoring/turns.ts'
import { scoreWords } from '../scoring/words.ts'
import { readDictatedNumbers, readDigits } from '../sets/digits.ts'
import { readGameNoises, readShouts } from '../sets/game-voices.ts'
import { makeNoises, readMusic } from '../sets/noises.ts'
import { joined, silence, type Recording } from '../sets/recording.ts'
import { readTurnSet, type TurnKind } from '../sets/turn-set.ts'
import { sampleOf, type Options } from '../options.ts'
import type { Listener } from './listener.ts'
import { sequentially, interruptionOutcome, transcribe, turnOutcome, turnsIn } from './measures.ts'
import type { Rehearsed, Setting } from './rehearsal.ts'
import { rehearse } from './rehearse.ts'

/** Gap between two answers that must not be merged. */
const betweenTurnsMs = 2_500

export const turnTaking = async (listener: Listener, setting: Setting, options: Options) => {
  const rows = sampleOf(await readTurnSet(options.half), options)
  const outcomes = await sequentially(rows, (row) => turnOutcome(listener, setting, row))
  const of = (...kinds: TurnKind[]): TurnOutcome[] => outcomes.filter(({ kind }) => kinds.includes(kind))
  const delays = (...kinds: TurnKind[]) => spread(of(...kinds).flatMap(({ delayMs }) => delayMs ?? []))
  const short = rows.filter(({ kind }) => kind === 'short').slice(0, 40)
  const pairs = short.flatMap((row, nth) => (nth % 2 === 0 ? [[row, short[nth + 1] ?? row] as const] : []))
  const merged = await sequentially(pairs, ([first, second]) => isMerged(listener, setting, first, second))
  return {
    rows: outcomes.length,
    withoutTurn: outcomes.filter(({ turns }) => turns === 0).length,
    meanSplitRate: meanSplitRate(of('cut', 'open')),
    cut: splitRates(of('cut')),
    open: splitRates(of('open')),
    atSentences: splitAtSentences(outcomes),
    sentencesMs: delays('whole', 'two'),
    shortMs: delays('short'),
    merged: { merged: merged.filter(Boolean).length, of: pairs.length },
  }
}

const isMerged = async (listener: Listener, setting: Setting, first: Recording, second: Recording): Promise<boolean> => {
  const samples = joined([first.samples, silence(betweenTurnsMs), second.samples])
  return turnsIn(await rehearse(listener, setting, { ...first, samples })).length < 2
}

const shares = (values: readonly number[]): string => values.map((value) => Math.round(100 * value)).join(' / ')

export const turnRows = (score: Awaited<ReturnType<typeof turnTaking>>): Row[] => [
  atMost('turns cut in a pause, mean of 0.3–1.5 s', score.meanSplitRate, 0.22, percent),
  plain('fluent sentences, cut by a pause of 0.3 / 0.5 / 0.7 / 1.0 / 1.5 s, %', shares(score.cut)),
  atMost('people who pause in the middle of a sentence, cut at 0.7 s', score.open[2] ?? 0, 0.15, percent),
  plain('the same, 0.3 / 0.5 / 0.7 / 1.0 / 1.5 s, %', shares(score.open)),
  plain('cut between their sentences', `${score.atSentences.split} of ${score.atSentences.of}`),
  atMost('sentence over → turn, p50', score.sentencesMs.p50, 600, ms),
  atMost('the same, p95', score.sentencesMs.p95, 1_600, ms),
  atMost('short answer over → turn, p50', score.shortMs.p50, 380, ms),
  atMost('the same, p95', score.shortMs.p95, 650, ms),
  plain(`two answers ${betweenTurnsMs / 1000} s apart made one`, `${score.merged.merged} of ${score.merged.of}`),
  plain('recordings of which no turn was made', `${score.withoutTurn} of ${score.rows}`),
]

export const dictation = async (listener: Listener, setting: Setting) => {
  const numbers = await readDictatedNumbers(800)
  const ask = (speak: Setting['speak']) =>
    sequentially(numbers, (number) => rehearse(listener, { ...setting, ...(speak && { speak }) }, number))
  const counts = async (speak: Setting['speak']) => (await ask(speak)).filter((one) => turnsIn(one).length === 1).length
  const digits = await sequentially(await readDigits(), (digit) => rehearse(listener, { ...setting, speak: { expects: 'digits' } }, digit))
  const isRight = (one: Rehearsed): boolean => scoreWords(pairOf(one)).exact === 1
  const known = await ask({ expects: 'digits', expects_digits: 6 })
  const beginnings = (await Promise.all([2, 3, 4, 5, 6].map((length) => readDictatedNumbers(800, length)))).flat()
  const heard = await sequentially(beginnings, (one) => transcribe(listener, one))
  const digitCount = (text: string): number => asDigits(text, 'en').match(/\d/g)?.length ?? 0
  return {
    numbers: numbers.length,
    digitsRight: digits.filter(isRight).length,
    numbersRight: known.filter(isRight).length,
    beginnings: {
      of: beginnings.length,
      right: heard.filter((pair) => scoreWords([{ ...pair, heard: spacedDigits([asDigits(pair.heard, 'en')]) }]).exact === 1).length,
      invented: heard.filter((pair) => digitCount(pair.heard) > digitCount(pair.said)).length,
    },
    unasked: await counts(undefined),
    asked: await counts({ expects: 'digits' }),
    known: known.filter((one) => turnsIn(one).length === 1).length,
    knownMs: spread(known.map((one) => (turnsIn(one).at(-1)?.at ?? Infinity) - one.voice.to)),
  }
}

const pairOf = (one: Rehearsed) => [{ said: one.recording.text, heard: spacedDigits(turnsIn(one).map(({ text }) => text)), language: 'en' }]

/** Splits digits: "369" was said as three words. */
const spacedDigits = (texts: readonly string[]): string => texts.join(' ').replaceAll(/(?<=\d)(?=\d)/g, ' ')

export const dictationRows = ({
  numbers,
  digitsRight,
  numbersRight,
  beginnings,
  unasked,
  asked,
  known,
  knownMs,
}: Awaited<ReturnType<typeof dictation>>): Row[] => [
  plain(`six digits in groups, pauses of 0.8 s (${numbers}): one turn, nothing asked for`, unasked),
  atLeast('the same, `expects: "digits"`', asked, 10),
  atLeast('the same, `expects_digits: 6`', known, 10),
  atMost('the same: last digit → turn, p95', knownMs.p95, 450, ms),
  plain('the same: all six right', numbersRight),
  plain(
    'two to six of their digits, the recogniser alone: right, too many digits',
    `${beginnings.right}, ${beginnings.invented} of ${beginnings.of}`,
  ),
  atLeast('the ten digits, each alone, `expects: "digits"`: right', digitsRight, 10),
]

export const noises = async (listener: Listener, setting: Setting, options: Options) => {
  const events = async (recordings: readonly Recording[]) =>
    (await sequentially(recordings, (one) => rehearse(listener, setting, one))).reduce((sum, one) => sum + turnsIn(one).length, 0)
  return {
    game: await events(sampleOf(await readGameNoises(options.half), options)),
    music: await events(await readMusic()),
    noise: await events(makeNoises()),
  }
}

export const noiseRows = ({ game, music, noise }: Awaited<ReturnType<typeof noises>>): Row[] => [
  atMost('52 short noises: taken for words', game, 5, String),
  atMost('200 s of music: taken for words', music, 0, String),
  atMost('81 s of white, pink, brown noise: taken for words', noise, 0, String),
]

export const interruptions = async (listener: Listener, setting: Setting, options: Options) =>
  scoreInterruptions(
    await sequentially(sampleOf(await readShouts(options.half), options), (one) => interruptionOutcome(listener, setting, one)),
  )

export const interruptionRows = (score: Awaited<ReturnType<typeof interruptions>>): Row[] => [
  atMost(
    `coughs, laughs, groans (${score.wordless}): stopped the assistant`,
    score.falseStops,
    Math.floor(score.wordless * (6 / 43)),
    String,
  ),
  atLeast(`shouts with words (${score.words}): stopped the assistant`, score.stops, Math.ceil(score.words * (59 / 68))),
  plain('the same: neither stopped nor told', score.missed),
  atMost('voice → stopped, p50', score.reactionMs.p50, 500, ms),
  atMost('the same, p95', score.reactionMs.p95, 950, ms),
  plain('softer: with words, without', `${score.ducked.words}, ${score.ducked.wordless}`),
  atMost(`voice → softer, p95 (p50 ${ms(score.duckedMs.p50)})`, score.duckedMs.p95, 260, ms),
]

/** Recordings with exactly one turn each. */
export const ownTurns = async (listener: Listener, setting: Setting, recordings: readonly Recording[]) => {
  const counted = await sequentially(recordings, async (one) => {
    const turns = turnsIn(await rehearse(listener, { ...setting, language: one.language }, one))
    const last = turns.at(-1)
    return { turns: turns.length, delayMs: last && Math.max(last.timing.endpointMs, last.timing.sttFinalMs) }
  })
  const withTurns = (wanted: (turns: number) => boolean): number => counted.filter(({ turns }) => wanted(turns)).length
  return {
    one: withTurns((turns) => turns === 1),
    several: withTurns((turns) => turns > 1),
    none: withTurns((turns) => turns === 0),
    delayMs: spread(counted.flatMap(({ delayMs }) => delayMs ?? [])),
  }
}
