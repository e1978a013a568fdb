import type { ExpectedAnswer } from '#core/kernel/ports/speech.ts'
import { plainWords } from '#adapters/speech/callers/word-errors.ts'
import { rounded } from '../../shared/percentiles.ts'
import { sampleOf, type Options } from '../options.ts'
import { atLeast, atMost, percent, plain, type Row } from '../report/rows.ts'
import { scoreWords, wordCount, type WordScore } from '../scoring/words.ts'
import { readDigits } from '../sets/digits.ts'
import { germanSentences, readGermanWords } from '../sets/german.ts'
import { withNoise } from '../sets/noises.ts'
import { readPrompts, readSample, type PromptLanguage } from '../sets/prompts.ts'
import { secondsOf, type Recording } from '../sets/recording.ts'
import type { Listener } from './listener.ts'
import { costOf, sequentially, transcribe } from './measures.ts'
import { synthesised } from './synthesised.ts'

export type Score = WordScore & { cpuPerSecond: number }

/** Longer recordings are menus, not turns. */
const maxSeconds = 15

const isSentence = (recording: Recording): boolean =>
  wordCount(recording.text, recording.language) >= 3 && secondsOf(recording) < maxSeconds
const isShort = (recording: Recording): boolean => wordCount(recording.text, recording.language) <= 2

export const scoreSet = async (
  listener: Listener,
  recordings: readonly Recording[],
  expected: (one: Recording) => ExpectedAnswer | undefined = () => undefined,
): Promise<Score> => {
  const languages = new Map(recordings.map((one) => [one.language, one]))
  for (const one of languages.values()) await transcribe(listener, one) // loads the model
  const { result, cpuPerSecond } = await costOf(recordings, () =>
    sequentially(recordings, (one) => transcribe(listener, one, expected(one))),
  )
  return { ...scoreWords(result), cpuPerSecond: rounded(cpuPerSecond, 3) }
}

export const englishWords = async (listener: Listener, options: Options) => {
  const prompts = sampleOf(await readPrompts('en', options.half), options)
  const [sentences, short] = [prompts.filter(isSentence), prompts.filter(isShort)]
  const noisy = (recordings: readonly Recording[]) => recordings.map((one) => withNoise(one, 10))
  return {
    sentences: await scoreSet(listener, sentences),
    short: await scoreSet(listener, short),
    digits: await scoreSet(listener, await readDigits()),
    sentencesInNoise: await scoreSet(listener, noisy(sentences)),
    shortInNoise: await scoreSet(listener, noisy(short)),
  }
}

const wordsRow = (what: string, { errorRate, exact, recordings, lost }: Score): Row =>
  plain(what, `${percent(errorRate)}, ${exact} of ${recordings} exact${lost > 0 ? `, ${lost} lost` : ''}`)

export const englishRows = (scores: Awaited<ReturnType<typeof englishWords>>): Row[] => [
  atMost(`English sentences (${scores.sentences.recordings}): word errors`, scores.sentences.errorRate, 0.053, percent),
  atLeast('the same: exact', scores.sentences.exact, 90),
  atMost('the same: CPU for each second', scores.sentences.cpuPerSecond, 0.075, (value) => `${value.toFixed(3)} s`),
  atMost('the same, white noise at 10 dB: word errors', scores.sentencesInNoise.errorRate, 0.22, percent),
  atLeast(`one or two words (${scores.short.recordings}): exact`, scores.short.exact, 76),
  wordsRow('the same: word errors', scores.short),
  wordsRow('the same, white noise at 10 dB', scores.shortInNoise),
  plain('the ten digits, each alone: right', scores.digits.exact),
]

/** Goals for recordings of people; those of Whisper small. */
const goals: Partial<Record<PromptLanguage, number>> = { es: 0.18, fr: 0.15, it: 0.185 }

export const otherLanguages = async (listener: Listener, options: Options) => {
  const scores: Record<string, Score> = {}
  for (const language of ['es', 'fr', 'it', 'ru'] as const)
    scores[language] = await scoreSet(listener, sampleOf(await readSample(language, options.half), options).filter(isSentence))
  const words = sampleOf(await readGermanWords(options.half), options)
  scores['de, words by a person'] = await scoreSet(listener, words)
  scores['de, words by a person, one of ten options'] = await scoreSet(listener, words, (one) => ({
    phrases: [one.text, ...otherWords(words, one)],
  }))
  if (listener.tts?.speaks('de') === true) scores['de, sentences of our own voice'] = await scoreSet(listener, await sayGerman(listener))
  return { scores, takenForOptions: await takenForOptions(listener, words), words: words.length }
}

/** Nine words of the same speaker. */
const otherWords = (words: readonly Recording[], one: Recording): string[] =>
  Array.from({ length: 9 }, (_, nth) => words[(words.indexOf(one) + 7 * (nth + 1)) % words.length]!.text).filter(
    (text) => text !== one.text,
  )

/** Words that are none of the options, but are heard as one. */
const takenForOptions = async (listener: Listener, words: readonly Recording[]): Promise<number> => {
  const taken = await sequentially(words, async (one) => {
    const phrases = otherWords(words, one)
    const { heard } = await transcribe(listener, one, { phrases })
    return phrases.some((phrase) => plainWords(phrase, 'de').join(' ') === plainWords(heard, 'de').join(' '))
  })
  return taken.filter(Boolean).length
}

export const languageRows = ({ scores, takenForOptions: taken, words }: Awaited<ReturnType<typeof otherLanguages>>): Row[] => [
  ...Object.entries(scores).flatMap(([name, score]) => {
    const goal = goals[name as PromptLanguage]
    const what = `${name} (${score.recordings}): word errors`
    const errors = goal === undefined ? plain(what, percent(score.errorRate)) : atMost(what, score.errorRate, goal, percent)
    return [
      errors,
      plain('the same: exact, lost, CPU for each second', `${score.exact}, ${score.lost}, ${score.cpuPerSecond.toFixed(3)} s`),
    ]
  }),
  plain('de, words by a person, none of nine options: taken for one', `${taken} of ${words}`),
]

/** Synthesis is not deterministic, and its word errors vary a lot. */
const rounds = 5

const sayGerman = (listener: Listener): Promise<Recording[]> =>
  sequentially(Array.from({ length: rounds }, () => germanSentences).flat(), (text) => synthesised(listener, text, 'de'))
