import { availableParallelism } from 'node:os'
import { SpeechUnavailable, type Tts, type Utterance } from '#core/kernel/ports/speech.ts'
import { utterancesOf } from '#core/speech/text-normalization/sentences.ts'
import { modelPackages } from '../models/model-list.ts'
import type { Models } from '../models/models.ts'
import { pronounceable } from './pronounceable.ts'
import { SoundDue } from './sound-due.ts'
import { voiceKinds, voiceLanguageOf, voiceLanguages, type VoiceLanguage } from './voice-languages.ts'
import { voiceOf } from './voice-names.ts'
import { VoicePool } from './voice-pool.ts'
import { voiceRate } from './voice-protocol.ts'
import { VoiceThread } from './voice-thread.ts'
import type { Log } from '#log/log-events.ts'

export interface SynthesiserDeps {
  /** Undefined: there are none. */
  models: Pick<Models, 'folderWith'> | undefined
  /** For each language, at most. */
  workers: number
  /** Speak what has no model here, or whose model is missing: the first that knows the language. */
  others: readonly Tts[]
  log: Log
  /** A sentence waited for a thread for so many seconds. */
  onWaited?: ((seconds: number) => void) | undefined
}

export interface Synthesiser extends Tts {
  /** Sentences that wait for a thread. */
  readonly waiting: number
  /** Loads the model of this language, if it has one. Rejects with what is missing. */
  warm(language: string): Promise<void>
  close(): Promise<void>
}

/** Voices sound wrong beyond these. */
const slowest = 0.5
const fastest = 2
const maxPitch = 6
/** Two make the first sound come a third earlier; small machines have none to spare. */
const threads = availableParallelism() >= 4 ? 2 : 1

/** The voices that are part of the product: English and German with models of their own, other languages with `others`. */
export const openSynthesiser = (deps: SynthesiserDeps): Synthesiser => {
  const { models } = deps
  const pools = models && { en: openPool(models, deps, 'en'), de: openPool(models, deps, 'de') }
  const poolFor = (language: VoiceLanguage | undefined): VoicePool | undefined => language && pools?.[language]
  const otherFor = (language: string): Tts | undefined => deps.others.find((tts) => tts.speaks(language))
  /** Languages in which another voice has stepped in. */
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

/** To be raised when the same words of the same model come to sound otherwise. */
const soundRevision = 1

const versionOf = (language: VoiceLanguage): string => {
  const packages = modelPackages.filter(({ part }) => part === voiceKinds[language].part)
  return JSON.stringify([soundRevision, ...packages.map(({ name, version }) => `${name}@${version}`)])
}

const missingFields = (language: string): string =>
  `no voice speaks "${language}" here: install espeak-ng, or choose a provider that speaks it`

const openPool = (models: Pick<Models, 'folderWith'>, { workers, onWaited }: SynthesiserDeps, language: VoiceLanguage): VoicePool => {
  const open = async () => new VoiceThread({ folder: await models.folderWith(voiceKinds[language].part), language, threads })
  return new VoicePool(workers, open, onWaited)
}

/** Sound is given away as soon as there is some of a clause; the next one may wait while it sounds. */
async function* linesOf(pool: VoicePool, language: VoiceLanguage, utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
  const prosody = prosodyOf(utterance)
  const due = new SoundDue(utterance.ahead ?? 0)
  for (const part of utterancesOf(utterance.text, utterance.language)) {
    const text = pronounceable(part, language)
    if (text !== '') yield* pool.say({ text, ...prosody }, due, signal)
  }
}

const prosodyOf = ({ speed = 1, pitch = 0 }: Utterance): { speed: number; pitch: number } => ({
  speed: Math.min(fastest, Math.max(slowest, speed)),
  pitch: Math.max(-maxPitch, Math.min(maxPitch, Math.round(pitch))),
})
