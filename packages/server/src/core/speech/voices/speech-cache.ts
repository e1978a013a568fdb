import type { SpeechProvider, Utterance } from '#core/kernel/ports/speech.ts'
import type { MadeSpeech, SpeechArchive } from '#core/kernel/ports/assistant.ts'

/**
 * Reason for the synthesis. Speech of a call may be about the caller: it is archived only after several calls. Speech made in advance has
 * not been spoken yet.
 */
export type Occasion = { call: string } | 'own words' | 'in advance'

interface Entry {
  speech: MadeSpeech
  /** Calls it was spoken in, while still counted. */
  calls: Set<string>
  archived: boolean
}

const defaultBytes = 32 * 1024 * 1024
/** Maximum share of one entry, so that an announcement cannot evict everything else. */
const maxShare = 1 / 8
/** Calls after which a sentence is not specific to one caller. */
const callsToArchive = 3

/** Synthesised speech of all calls: greetings and the like start immediately. Evicts the least recently used first. */
export class SpeechCache {
  readonly #maxBytes: number
  readonly #archive: SpeechArchive | undefined
  #bytes = 0
  readonly #entries = new Map<string, Entry>()

  constructor({ maxBytes = defaultBytes, archive }: { maxBytes?: number; archive?: SpeechArchive | undefined } = {}) {
    this.#maxBytes = maxBytes
    this.#archive = archive
  }

  get bytes(): number {
    return this.#bytes
  }

  find(key: string): MadeSpeech | undefined {
    const entry = this.#entries.get(key)
    if (entry) {
      this.#entries.delete(key)
      this.#entries.set(key, entry) // a map keeps insertion order: the newest is last
    }
    return entry?.speech
  }

  /** Loads from the archive by `lastingKey`. */
  async recall(key: string, lastingKey: string): Promise<MadeSpeech | undefined> {
    const speech = await this.#archive?.find(lastingKey)
    if (speech) this.#add(key, { speech, calls: new Set(), archived: true })
    return speech
  }

  keep(key: string, speech: MadeSpeech): void {
    this.#add(key, { speech, calls: new Set(), archived: false })
  }

  /** `lastingKey`: undefined if its audio may change without notice. */
  used(key: string, lastingKey: string | undefined, occasion: Occasion): void {
    const entry = this.#entries.get(key)
    if (!entry || entry.archived || lastingKey === undefined || occasion === 'in advance' || !this.#archive) return
    if (occasion !== 'own words') entry.calls.add(occasion.call)
    if (occasion !== 'own words' && entry.calls.size < callsToArchive) return
    entry.archived = true
    entry.calls.clear()
    this.#archive.keep(lastingKey, entry.speech)
  }

  /** After an erasure: it is unknown which sentences were about the person. */
  async clear(): Promise<void> {
    this.#entries.clear()
    this.#bytes = 0
    await this.#archive?.clear()
  }

  #add(key: string, entry: Entry): void {
    const bytes = sizeOf(key, entry)
    if (bytes > this.#maxBytes * maxShare) return
    this.#remove(key)
    this.#entries.set(key, entry)
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

/** All parameters that change the audio. */
export const cacheKey = (provider: SpeechProvider, utterance: Utterance, version?: string): string =>
  JSON.stringify([
    provider,
    ...(version === undefined ? [] : [version]),
    utterance.voice ?? '',
    utterance.language,
    utterance.speed ?? 1,
    utterance.pitch ?? 0,
    utterance.text,
    ...(utterance.ipa === undefined ? [] : [utterance.ipa]),
  ])

const sizeOf = (key: string, { speech }: Entry): number => speech.samples.byteLength + 2 * key.length
