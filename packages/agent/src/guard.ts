import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Cost } from '@offhook/contract/v3/results.ts'
import type { AgentClock } from './clock.ts'
import type { OneModel, Usage } from './model/messages.ts'

export type Limit = 'turns' | 'tokens' | 'seconds' | 'tokens_per_day'

/** Limits of one call. */
export class Budget {
  readonly #limits: NonNullable<AssistantSettings['limits']>
  readonly #clock: AgentClock
  readonly #startedAt: number
  #turns = 0
  #tokens = 0
  #dayIsOver = false

  constructor(limits: AssistantSettings['limits'], clock: AgentClock) {
    this.#limits = limits ?? {}
    this.#clock = clock
    this.#startedAt = clock.elapsed()
  }

  get toolRounds(): number {
    return this.#limits.tool_rounds ?? 4
  }

  get tokens(): number {
    return this.#tokens
  }

  /** Counts one caller turn. */
  turn(): void {
    this.#turns += 1
  }

  spent({ prompt, completion }: Usage): void {
    this.#tokens += prompt + completion
  }

  dayIsOver(): void {
    this.#dayIsOver = true
  }

  /** Limit that forbids a model request of this many tokens. */
  exceeded(estimate: number): Limit | undefined {
    const { turns = 60, tokens = 60_000, seconds = 900 } = this.#limits
    if (this.#turns > turns) return 'turns'
    if (this.#clock.elapsed() - this.#startedAt > seconds * 1000) return 'seconds'
    if (this.#dayIsOver) return 'tokens_per_day'
    return this.#tokens + estimate > tokens ? 'tokens' : undefined
  }
}

export const costOf = ({ prompt, completion }: Usage, price: OneModel['price']): Cost | undefined =>
  price && { amount: (prompt * price.input_per_million + completion * price.output_per_million) / 1_000_000, currency: price.currency }

type Topics = NonNullable<AssistantSettings['topics']>

const sentence = /[.!?…]+["'”’)]*(?=\s)/g

/** Characters after which a sentence is checked without waiting for its end. */
const maxSentenceLength = 2_000

const escaped = (word: string): string =>
  word
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s+/g, '\\s+')

const patternOf = (words: readonly string[]): RegExp | undefined =>
  words.length === 0 ? undefined : new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'iu')

/** Holds back sentences until they are known to be allowed. Passes text through if no words are forbidden. */
export class TopicGuard {
  readonly #patterns: readonly { name: string; pattern: RegExp }[]
  #held = ''
  /** Name of the forbidden topic that was hit; the rest of the answer is dropped. */
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

/** Rule for the system prompt. */
export const topicsRule = (topics: Topics | undefined): string =>
  topics && topics.forbidden.length > 0
    ? `Never talk about: ${topics.forbidden.map(({ name }) => name).join('; ')}. Say that you cannot.`
    : ''
