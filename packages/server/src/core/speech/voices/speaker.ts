import type { Utterance } from '#core/kernel/ports/speech.ts'
import type { ProsodyStyle } from '../ssml/script.ts'
import { say, type SayDeps } from './say.ts'
import { spokenText } from '../text-normalization/spoken-text.ts'
import type { ChosenVoice, VoiceChoice } from './voices.ts'

/** Sound at the rate of the voice that made it. */
export interface VoiceSound {
  samples: Int16Array
  rate: ChosenVoice['tts']['rate']
}

/** Says one speech: a voice that fails is silent for the rest of it, and the next one takes over. */
export class Speaker {
  readonly #deps: SayDeps
  readonly #voices: ChosenVoice[]
  readonly #problem: (message: string) => void
  readonly #told = new Set<string>()
  #failed = false

  constructor(deps: SayDeps, choice: VoiceChoice, problem: (message: string) => void) {
    this.#deps = deps
    this.#voices = [...choice.voices]
    this.#problem = problem
    for (const message of choice.problems) this.#notify(message)
    if (choice.voices.length === 0) this.#notify('tts: there is no voice that could say it')
  }

  /** Some text could not be said by any voice. Where there is none at all, that is how it was set up, and nothing has failed. */
  get failed(): boolean {
    return this.#failed
  }

  /** Whose voice it is; another one when that fails. */
  get provider(): string | undefined {
    return this.#voices[0]?.provider
  }

  get takesDocuments(): boolean {
    return this.#voices[0]?.tts.ssml === true
  }

  /**
   * When a voice fails in the middle of an utterance, the next says it again from its beginning: nothing is lost. `aheadMs`: how much is
   * still to be played before it.
   */
  async *say(text: string, prosody: ProsodyStyle, signal: AbortSignal, aheadMs = 0): AsyncGenerator<VoiceSound> {
    if (!sayable.test(text)) return
    const speaking = this.#voices.filter(({ tts }) => tts.speaks(prosody.language))
    for (const voice of speaking.length > 0 ? speaking : this.#voices.slice(-1)) {
      const language = speaking.length > 0 ? prosody.language : voice.language
      const utterance = utteranceOf(voice, text, { ...prosody, language }, aheadMs)
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

  /** An SSML document as a whole. Rejects when the voice fails; the next one may not take documents. */
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

  /** The last voice stays: perhaps it can say the next utterance. */
  #fails(voice: ChosenVoice, error: unknown): void {
    if (this.#voices.length > 1) this.#voices.splice(this.#voices.indexOf(voice), 1)
    this.#notify(`tts: "${voice.provider}" failed (${error instanceof Error ? error.message : 'unknown'})`)
  }

  /** Once is enough. */
  #notify(message: string): void {
    if (this.#told.has(message)) return
    this.#told.add(message)
    this.#problem(message)
  }
}

/** A line of dashes or a smiley is nothing to be said. */
const sayable = /[\p{L}\p{N}]/u

const utteranceOf = (voice: ChosenVoice, text: string, prosody: ProsodyStyle, aheadMs: number): Utterance => {
  const { language, voice: name = voice.voice, speed, pitch } = prosody
  return {
    text: spokenText(text, language),
    language,
    ...(name !== undefined && { voice: name }),
    ...(speed !== 1 && { speed }),
    ...(pitch !== 0 && { pitch }),
    ...(aheadMs > 0 && { ahead: aheadMs }),
  }
}
