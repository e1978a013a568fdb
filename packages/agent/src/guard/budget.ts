import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Cost } from '@offhook/contract/v3/results.ts'
import type { AgentClock } from '../clock.ts'
import type { OneModel } from '../model/flavours.ts'
import type { Usage } from '../model/messages.ts'

export type Limit = 'turns' | 'tokens' | 'seconds' | 'tokens_per_day'

/** What one call may cost. */
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

  /** The caller has said something. */
  turn(): void {
    this.#turns += 1
  }

  spent({ prompt, completion }: Usage): void {
    this.#tokens += prompt + completion
  }

  dayIsOver(): void {
    this.#dayIsOver = true
  }

  /** What keeps from asking a model with so many tokens. */
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
