import { availableParallelism } from 'node:os'
import { SpeechUnavailable, type Tts, type Utterance } from '#core/kernel/ports/speech.ts'
import { utterancesOf } from '#core/speech/text-normalization/sentences.ts'
import { modelPackages } from '../models/model-list.ts'
import type { Models } from '../models/models.ts'
import { maxIpaMarks, pronounceable } from './pronounceable.ts'
import { SoundDue, VoicePool } from './voice-pool.ts'
import { voiceKinds, voiceLanguageOf, voiceLanguages, type VoiceLanguage, voiceOf } from './voice-languages.ts'
import { voiceRate } from './voice-protocol.ts'
import { VoiceThread } from './voice-thread.ts'
import type { Log } from '#log/log-events.ts'

export interface SynthesiserDeps {
  /** Undefined if models are turned off. */
  models: Pick<Models, 'folderWith'> | undefined
  /** Maximum per language. */
  workers: number
  /** Voices for languages without a model or with a missing one: the first that knows the language speaks. */
  others: readonly Tts[]
  log: Log
  /** The same text always sounds the same: for tests; people hear it as dull. */
  isSteady?: boolean
  /** Called with the seconds that a sentence waited for a thread. */
  onWaited?: ((seconds: number) => void) | undefined
}

export interface Synthesiser extends Tts {
  /** Number of sentences that wait for a thread. */
  readonly waiting: number
  /** Loads the model of this language, if it has one. Rejects with the missing packages. */
  warm(language: string): Promise<void>
  close(): Promise<void>
}

/** Voices sound wrong beyond these limits. */
const slowest = 0.5
const fastest = 2
const maxPitch = 6
/** Two threads bring the first sound a third earlier; small machines have none to spare. */
const threads = availableParallelism() >= 4 ? 2 : 1

/** The embedded voices: English and German with models, other languages with `others`. */
export const openSynthesiser = (deps: SynthesiserDeps): Synthesiser => {
  const { models } = deps
  const pools = models && { en: openPool(models, deps, 'en'), de: openPool(models, deps, 'de') }
  const poolFor = (language: VoiceLanguage | undefined): VoicePool | undefined => language && pools?.[language]
  const otherFor = (language: string): Tts | undefined => deps.others.find((tts) => tts.speaks(language))
  /** Languages in which another voice replaces the embedded one. */
  const replaced = new Set<string>()
  const warn = (language: string, other: Tts, error: SpeechUnavailable): void => {
    if (!replaced.has(language)) deps.log('voice_replaced', { err: error, language, by: other.name })
    replaced.add(language)
  }

  async function* synthesize(utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const language = voiceLanguageOf(utterance.language)
    const other = otherFor(utterance.language)
    const pool = poolFor(language)
    if (!language || !pool) {
      if (!other) throw new SpeechUnavailable(missingFields(utterance.language))
      yield* other.synthesize(utterance, signal)
      return
    }
    let started = false
    try {
      for await (const samples of linesOf(pool, language, utterance, signal)) {
        started = true
        yield samples
      }
    } catch (error) {
      if (signal.aborted) return
      if (started || !other || !(error instanceof SpeechUnavailable)) throw error
      warn(language, other, error)
      yield* other.synthesize(utterance, signal)
    }
  }

  return {
    name: 'embedded',
    rate: voiceRate,
    ssml: false,
    get waiting() {
      return Object.values(pools ?? {}).reduce((sum, pool) => sum + pool.waiting, 0)
    },
    speaks: (language) => poolFor(voiceLanguageOf(language)) !== undefined || otherFor(language) !== undefined,
    voices: () => [
      ...(pools ? voiceLanguages.map((language) => voiceOf(language)) : []),
      ...deps.others.flatMap((tts) => tts.voices?.() ?? []).filter(({ id }) => !pools || !isOwn(id)),
    ],
    version(language) {
      const own = voiceLanguageOf(language)
      return own && poolFor(own) && !replaced.has(own) ? versionOf(own) : undefined
    },
    synthesize,
    async warm(language) {
      const own = poolFor(voiceLanguageOf(language))
      if (own) await own.warm()
      else if (!otherFor(language)) throw new SpeechUnavailable(missingFields(language))
    },
    async close() {
      await Promise.all(Object.values(pools ?? {}).map((pool) => pool.close()))
    },
  }
}

const isOwn = (id: string): boolean => voiceLanguages.some((language) => language === id)

/** Raise it when the same text and model produce different sound. */
const soundRevision = 1

const versionOf = (language: VoiceLanguage): string => {
  const packages = modelPackages.filter(({ part }) => part === voiceKinds[language].part)
  return JSON.stringify([soundRevision, ...packages.map(({ name, version }) => `${name}@${version}`)])
}

const missingFields = (language: string): string =>
  `no voice speaks "${language}" here: install espeak-ng, or choose a provider that speaks it`

const openPool = (
  models: Pick<Models, 'folderWith'>,
  { workers, onWaited, isSteady }: SynthesiserDeps,
  language: VoiceLanguage,
): VoicePool => {
  const open = async () => new VoiceThread({ folder: await models.folderWith(voiceKinds[language].part), language, threads, isSteady })
  return new VoicePool(workers, open, onWaited)
}

/** Yields sound as soon as some of a clause is ready; the next clause may wait while it plays. */
async function* linesOf(pool: VoicePool, language: VoiceLanguage, utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
  const prosody = prosodyOf(utterance)
  const due = new SoundDue(utterance.ahead ?? 0)
  const words = (utterance.ipa ?? []).slice(0, maxIpaMarks)
  const ipa = words.map((word) => word.ipa)
  for (const part of utterancesOf(utterance.text, utterance.language)) {
    const text = pronounceable(part, language, words)
    if (text !== '') yield* pool.say({ text, ...(ipa.length > 0 && { ipa }), ...prosody }, due, signal)
  }
}

const prosodyOf = ({ speed = 1, pitch = 0 }: Utterance): { speed: number; pitch: number } => ({
  speed: Math.min(fastest, Math.max(slowest, speed)),
  pitch: Math.max(-maxPitch, Math.min(maxPitch, Math.round(pitch))),
})
