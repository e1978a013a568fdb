import type { SpeechProvider, SpeechRate, Utterance } from '#core/kernel/ports/speech.ts'

export interface CachedSpeech {
  rate: SpeechRate
  samples: Int16Array
}

const defaultBytes = 32 * 1024 * 1024
/** One announcement must not push everything else out. */
const largestShare = 1 / 8

/** What was synthesised before, for all calls together: greetings and the like begin to sound at once. The longest unused goes first. */
export class SpeechCache {
  readonly #maxBytes: number
  #bytes = 0
  readonly #entries = new Map<string, CachedSpeech>()

  constructor(maxBytes: number = defaultBytes) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  find(key: string): CachedSpeech | undefined {
    const entry = this.#entries.get(key)
    if (entry) {
      this.#entries.delete(key)
      this.#entries.set(key, entry) // a map keeps the order of insertion: the newest is last
    }
    return entry
  }

  keep(key: string, speech: CachedSpeech): void {
    const bytes = sizeOf(key, speech)
    if (bytes > this.#maxBytes * largestShare) return
    this.#remove(key)
    this.#entries.set(key, speech)
    this.#bytes += bytes
    while (this.#bytes > this.#maxBytes) this.#remove(this.#entries.keys().next().value ?? '')
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#bytes -= sizeOf(key, entry)
  }
}

/** Everything that changes the sound. */
export const cacheKey = (provider: SpeechProvider, utterance: Utterance): string =>
  JSON.stringify([provider, utterance.voice ?? '', utterance.language, utterance.speed ?? 1, utterance.pitch ?? 0, utterance.text])

const sizeOf = (key: string, speech: CachedSpeech): number => speech.samples.byteLength + 2 * key.length
