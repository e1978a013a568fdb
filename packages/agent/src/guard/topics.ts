import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'

type Topics = NonNullable<AssistantSettings['topics']>

const sentence = /[.!?…]+["'”’)]*(?=\s)/g

/** Longer ones are not waited for. */
const maxSentenceLength = 2_000

const escaped = (word: string): string =>
  word
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s+/g, '\\s+')

const patternOf = (words: readonly string[]): RegExp | undefined =>
  words.length === 0 ? undefined : new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'iu')

/** Holds back sentences until it is sure that they may be said. Without forbidden words nothing waits. */
export class TopicGuard {
  readonly #patterns: readonly { name: string; pattern: RegExp }[]
  #held = ''
  /** What it was about when something must not be said; then nothing of the answer is. */
  forbidden: string | undefined

  constructor(topics: Topics | undefined) {
    this.#patterns = (topics?.forbidden ?? []).flatMap(({ name, words = [] }) => {
      const pattern = patternOf(words)
      return pattern ? [{ name, pattern }] : []
    })
  }

  put(text: string): string {
    if (this.#patterns.length === 0) return text
    this.#held += text
    if (this.#held.length > maxSentenceLength) return this.end()
    const end = [...this.#held.matchAll(sentence)].at(-1)
    return end ? this.#release(end.index + end[0].length) : ''
  }

  end(): string {
    return this.#release(this.#held.length)
  }

  #release(end: number): string {
    const ready = this.#held.slice(0, end)
    this.#held = this.#held.slice(end)
    let allowed = ''
    for (const part of ready.split(/(?<=[.!?…]["'”’)]*)(?=\s)/)) {
      this.forbidden ??= this.#patterns.find(({ pattern }) => pattern.test(part.normalize('NFC')))?.name
      if (this.forbidden !== undefined) return allowed
      allowed += part
    }
    return allowed
  }
}

/** For the model. */
export const topicsRule = (topics: Topics | undefined): string =>
  topics && topics.forbidden.length > 0
    ? `Never talk about: ${topics.forbidden.map(({ name }) => name).join('; ')}. Say that you cannot.`
    : ''
