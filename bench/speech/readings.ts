import { readFileSync } from 'node:fs'
import { modelsFolder, missingPackages, type ModelPart } from '#adapters/speech/models/model-list.ts'
import type { Engine } from '#adapters/speech/recogniser/engine-choice.ts'
import { Engines } from '#adapters/speech/recogniser/engines.ts'
import { openSynthesiser } from '#adapters/speech/synthesiser/synthesiser.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { wordErrors, type WordErrors } from '#adapters/speech/callers/word-errors.ts'
import { rounded } from '../shared/percentiles.ts'
import { throughG711 } from '../shared/through-g711.ts'

/**
 * Share of the words of the reading tables that the embedded recogniser hears right when the embedded voice says them, through G.711. Every
 * n-th line with at least `minWords` words. `node bench/speech/readings.ts [lines per language] [--list]`; `--list` prints what was heard.
 */
const lines = Number(process.argv.slice(2).find((given) => /^\d+$/.test(given)) ?? 80)
const lists = process.argv.includes('--list')
const minWords = 4
const folder = modelsFolder(process.env['OFFHOOK_MODELS']) ?? ''
const tables = { en: 'english', de: 'german' } as const
type Language = keyof typeof tables

const sampleOf = (language: Language): string[] => {
  const room = '../../packages/server/src/core/speech/text-normalization/cases'
  const table = readFileSync(new URL(`${room}/${tables[language]}.txt`, import.meta.url), 'utf8')
  const cases = table.split('\n').flatMap((line) => {
    const [written = '', spoken] = line.split(' → ')
    return spoken === undefined || written.startsWith('<') || spoken.split(' ').length < minWords ? [] : [written]
  })
  const step = Math.max(1, cases.length / lines)
  return Array.from({ length: Math.min(lines, cases.length) }, (_, i) => cases[Math.floor(i * step)] ?? '')
}

/** The recogniser may write 1234 for "one two three four": the reading with the fewest errors counts. */
const errorsOf = (said: string, heard: string, language: Language): WordErrors => {
  const digits = heard.replace(/\d(?=\d)/g, '$& ')
  const pairs = heard.replace(/\b(\d\d)(\d\d)\b/g, '$1 $2')
  const letters = heard.replace(/\b\p{Lu}{2,5}\b/gu, (word) => Array.from(word).join(' '))
  const plain = (text: string): string => alike(spokenText(text, language), language)
  const counts = [heard, digits, pairs, letters].map((reading) => wordErrors(plain(said), plain(reading), language))
  return counts.reduce((best, count) => (count.errors < best.errors ? count : best))
}

/** One way to write what sounds the same. */
const alike = (text: string, language: Language): string => {
  const apart = text.toLowerCase().replaceAll('-', ' ')
  return language === 'en'
    ? apart.replace(/\bay\b/g, 'a').replace(/\band\b/g, '')
    : apart.replace(/und(?=\p{L})|(?<=hundert|tausend)/gu, ' ')
}

const candidates: Readonly<Record<Language, readonly (readonly [Engine, ModelPart])[]>> = {
  en: [['moonshine-base', 'stt-en-base']],
  de: [
    ['whisper-small', 'stt-multi-small'],
    ['whisper-base', 'stt-multi'],
  ],
}

const engineFor = async (language: Language): Promise<Engine> => {
  for (const [engine, part] of candidates[language]) if ((await missingPackages(folder, [part])).length === 0) return engine
  throw new Error(`no recogniser for ${language} is fetched; run npx offhook models`)
}

const voice = openSynthesiser({ models: { folderWith: () => Promise.resolve(folder) }, workers: 1, others: [], log: () => {} })
const engines = new Engines({ whisperThreads: 2 })

const rehear = async (language: Language): Promise<object> => {
  const engine = await engineFor(language)
  const total = { errors: 0, words: 0, perfect: 0 }
  const sample = sampleOf(language)
  for (const written of sample) {
    const pieces: number[] = []
    const utterance = { text: spokenText(written, language), language }
    for await (const piece of voice.synthesize(utterance, new AbortController().signal)) pieces.push(...piece)
    const sound = throughG711(resampleSound(Int16Array.from(pieces), voice.rate, 8_000))
    const { text: heard } = await engines.hear({ engine, folder, sound, codes: [language], vocabulary: [] }, new AbortController().signal)
    const { errors, words } = errorsOf(written, heard, language)
    total.errors += Math.min(errors, words)
    total.words += words
    if (errors === 0) total.perfect++
    if (lists) console.error(`${errors}/${words}  ${utterance.text}  |  ${heard}`)
  }
  const rightPercent = rounded((100 * (total.words - total.errors)) / total.words, 1)
  return { language, recogniser: engine, lines: sample.length, words: total.words, rightPercent, linesAllRight: total.perfect }
}

const languages: object[] = []
for (const language of ['en', 'de'] as const) languages.push(await rehear(language))
await voice.close()
console.log(JSON.stringify({ bench: 'readings', languages }))
