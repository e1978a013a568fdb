import type { Utterance } from '#core/kernel/ports/speech.ts'
import { wordsIn, type Lexicon } from './lexicon.ts'
import type { ProsodyStyle } from '../ssml/script.ts'
import { spokenText } from '../text-normalization/spoken-text.ts'
import type { ChosenVoice, VoiceChoice } from './voices.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { MadeSpeech } from '#core/kernel/ports/assistant.ts'
import { cacheKey, type Occasion, type SpeechCache } from './speech-cache.ts'
import { noLongerWanted, within } from '#core/kernel/work/waiting.ts'

/** Audio at the rate of its voice. */
interface VoiceSound {
  samples: Int16Array
  rate: ChosenVoice['tts']['rate']
}

/** Speaks one speech: a failed voice is skipped for the rest of it, and the next one takes over. */
export class Speaker {
  readonly #deps: SpeakerDeps
  readonly #voices: ChosenVoice[]
  readonly #problem: (message: string) => void
  readonly #told = new Set<string>()
  #failed = false

  constructor(deps: SpeakerDeps, choice: VoiceChoice, problem: (message: string) => void) {
    this.#deps = deps
    this.#voices = [...choice.voices]
    this.#problem = problem
    for (const message of choice.problems) this.#notify(message)
    if (choice.voices.length === 0) this.#notify('tts: there is no voice that could say it')
  }

  /** Some text could not be spoken by any voice. False if no voice is configured at all. */
  get failed(): boolean {
    return this.#failed
  }

  /** Provider of the current voice; changes on failure. */
  get provider(): string | undefined {
    return this.#voices[0]?.provider
  }

  get takesDocuments(): boolean {
    return this.#voices[0]?.tts.ssml === true
  }

  /**
   * If a voice fails within an utterance, the next one repeats it from the start, so no text is lost. `aheadMs`: milliseconds still to be
   * played before it.
   */
  async *say(text: string, prosody: ProsodyStyle, signal: AbortSignal, aheadMs = 0): AsyncGenerator<VoiceSound> {
    if (!sayable.test(text)) return
    const speaking = this.#voices.filter(({ tts }) => tts.speaks(prosody.language))
    for (const voice of speaking.length > 0 ? speaking : this.#voices.slice(-1)) {
      const language = speaking.length > 0 ? prosody.language : voice.language
      const utterance = utteranceOf(voice, text, { ...prosody, language }, aheadMs, this.#deps.lexicon)
      try {
        for await (const samples of say(this.#deps, voice, utterance, signal)) yield { samples, rate: voice.tts.rate }
        return
      } catch (error) {
        if (signal.aborted) return
        this.#fails(voice, error)
      }
    }
    this.#failed = this.#voices.length > 0
    this.#notify('text: some of it could not be said')
  }

  /** Speaks an SSML document as a whole. Rejects when the voice fails; the next one may not support documents. */
  async *sayDocument(document: string, signal: AbortSignal): AsyncGenerator<VoiceSound> {
    const voice = this.#voices[0]
    if (!voice) return
    const utterance = { text: document, language: voice.language, ...(voice.voice !== undefined && { voice: voice.voice }) }
    try {
      for await (const samples of say(this.#deps, voice, utterance, signal)) yield { samples, rate: voice.tts.rate }
    } catch (error) {
      if (!signal.aborted) this.#fails(voice, error)
      throw error
    }
  }

  /** Keeps the last voice: it may be able to speak the next utterance. */
  #fails(voice: ChosenVoice, error: unknown): void {
    if (this.#voices.length > 1) this.#voices.splice(this.#voices.indexOf(voice), 1)
    this.#notify(`tts: "${voice.provider}" failed (${error instanceof Error ? error.message : 'unknown'})`)
  }

  /** Reports each problem once. */
  #notify(message: string): void {
    if (this.#told.has(message)) return
    this.#told.add(message)
    this.#problem(message)
  }
}

/** Excludes text without letters or digits, such as dashes or a smiley. */
const sayable = /[\p{L}\p{N}]/u

const utteranceOf = (voice: ChosenVoice, written: string, prosody: ProsodyStyle, aheadMs: number, lexicon: Lexicon): Utterance => {
  const { language, voice: name = voice.voice, speed, pitch, ipa: own = [] } = prosody
  const text = spokenText(lexicon.respell(written, language), language)
  const ipa = [...wordsIn(text, own), ...lexicon.ipaIn(text, language)]
  return {
    text,
    language,
    ...(name !== undefined && { voice: name }),
    ...(speed !== 1 && { speed }),
    ...(pitch !== 0 && { pitch }),
    ...(aheadMs > 0 && { ahead: aheadMs }),
    ...(ipa.length > 0 && { ipa }),
  }
}

/** Timeout for the next chunk of a voice. Long, because a model may still be loading; providers have stricter limits. */
const nextChunkTimeoutMs = 30_000

interface SpeakerDeps extends SayDeps {
  lexicon: Lexicon
}

interface SayDeps {
  cache: SpeechCache
  clock: Clock
  occasion: Occasion
}

/** Audio of an utterance, from the cache if available. Rejects when the voice fails. */
export async function* say(deps: SayDeps, voice: ChosenVoice, utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
  const { cache, occasion } = deps
  const key = cacheKey(voice.provider, utterance)
  const lastingKey = (): string | undefined => {
    const version = voice.tts.version?.(utterance.language)
    return version === undefined ? undefined : cacheKey(voice.provider, utterance, version)
  }
  const known = cache.find(key) ?? (await recalled(cache, key, lastingKey()))
  if (known) {
    yield known.samples
  } else {
    const pieces: Int16Array[] = []
    for await (const piece of patiently(deps.clock, voice, utterance, signal)) {
      pieces.push(piece)
      yield piece
    }
    if (signal.aborted || pieces.length === 0) return
    cache.keep(key, { rate: voice.tts.rate, samples: joined(pieces) })
  }
  cache.used(key, lastingKey(), occasion) // evaluated again: another voice may have taken over
}

const recalled = async (cache: SpeechCache, key: string, lastingKey: string | undefined): Promise<MadeSpeech | undefined> =>
  lastingKey === undefined ? undefined : cache.recall(key, lastingKey)

async function* patiently(clock: Clock, { tts }: ChosenVoice, utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
  const stop = new AbortController()
  const sound = tts.synthesize(utterance, AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await within(clock, nextChunkTimeoutMs, signal, () => sound.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    stop.abort(noLongerWanted)
    // Does not wait for a hanging voice and ignores its failure on return.
    void Promise.resolve(sound.return?.()).catch(() => {})
  }
}

const joined = (pieces: readonly Int16Array[]): Int16Array => {
  const samples = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  return samples
}
