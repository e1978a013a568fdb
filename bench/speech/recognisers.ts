import { availableParallelism } from 'node:os'
import { type ModelPart, missingPackages, modelsFolder } from '#adapters/speech/models/model-list.ts'
import { familyOf, type Engine } from '#adapters/speech/recogniser/engine-choice.ts'
import { Engines } from '#adapters/speech/recogniser/engines.ts'
import { openSynthesiser } from '#adapters/speech/synthesiser/synthesiser.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { readRecordedSpeech, type SpokenText } from '#test/speech/recorded-speech.ts'
import { wordErrorRate } from '#adapters/speech/callers/word-errors.ts'
import { germanSentences } from '../conversation/sets/german.ts'
import { rounded, spread } from '../shared/percentiles.ts'
import { throughG711 } from '../shared/through-g711.ts'

/**
 * Word errors of the embedded recognisers, and cost per second of speech: English by a person (Debian's announcements), German by the embedded
 * voice, both through G.711. Latency is measured with one request at a time, from the sound to the words.
 */
const folder = modelsFolder(process.env['OFFHOOK_MODELS']) ?? ''
const threads = Math.min(2, availableParallelism())

const speakGerman = async (): Promise<SpokenText[]> => {
  const models = { folderWith: () => Promise.resolve(folder) }
  const voice = openSynthesiser({ models, workers: 1, others: [], log: () => {} })
  const spoken: SpokenText[] = []
  for (const text of germanSentences) {
    const pieces: number[] = []
    const utterance = { text: spokenText(text, 'de'), language: 'de' }
    for await (const piece of voice.synthesize(utterance, new AbortController().signal)) pieces.push(...piece)
    spoken.push({ text, samples: resampleSound(Int16Array.from(pieces), voice.rate, 8_000) })
  }
  await voice.close()
  return spoken
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

interface Candidate {
  engine: Engine
  part: ModelPart
}

const load = async ({ engine }: Candidate): Promise<{ engines: Engines; loadMs: number }> => {
  const engines = new Engines({ whisperThreads: threads })
  const start = performance.now()
  await engines.load(engine, folder)
  return { engines, loadMs: Math.round(performance.now() - start) }
}

const measure = async (engines: Engines, { engine }: Candidate, language: 'en' | 'de', spoken: readonly SpokenText[]): Promise<object> => {
  const pairs: { said: string; heard: string }[] = []
  const latencies: number[] = []
  const cpuStart = cpuMs()
  for (const { text, samples } of spoken) {
    const start = performance.now()
    const task = { engine, folder, sound: throughG711(samples), codes: [language], vocabulary: [] }
    const { text: heard } = await engines.hear(task, new AbortController().signal)
    latencies.push(performance.now() - start)
    pairs.push({ said: text, heard })
  }
  const seconds = spoken.reduce((sum, { samples }) => sum + samples.length / 8_000, 0)
  return {
    texts: spoken.length,
    wordErrorRate: rounded(wordErrorRate(pairs, language), 3),
    cpuPerSecond: rounded((cpuMs() - cpuStart) / 1000 / seconds, 3),
    latencyMs: spread(latencies),
  }
}

const candidates: Candidate[] = [
  { engine: 'moonshine-tiny', part: 'stt-en' },
  { engine: 'moonshine-base', part: 'stt-en-base' },
  { engine: 'whisper-base', part: 'stt-multi' },
  { engine: 'whisper-small', part: 'stt-multi-small' },
]
const english = await readRecordedSpeech()
const german = await speakGerman()
const recognisers: object[] = []
for (const candidate of candidates) {
  const { engine, part } = candidate
  if ((await missingPackages(folder, [part])).length > 0) continue
  const { engines, loadMs } = await load(candidate)
  const en = await measure(engines, candidate, 'en', english)
  const de = familyOf(engine) === 'whisper' ? { de: await measure(engines, candidate, 'de', german) } : {}
  recognisers.push({ recogniser: engine.replace('-', ' '), loadMs, en, ...de })
}
console.log(JSON.stringify({ bench: 'recognisers', processors: availableParallelism(), recognisers }))
