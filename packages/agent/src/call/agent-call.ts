import type { Session } from '@offhook/contract/assistant/session.ts'
import type { ModelSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Answer } from '@offhook/sdk'
import { Budget, costOf } from '../guard/budget.ts'
import { topicsRule } from '../guard/topics.ts'
import { History } from '../history.ts'
import type { AgentSettings, Host } from '../host.ts'
import type { Attempt, ModelParts } from '../model/chat-completions.ts'
import type { OneModel } from '../model/flavours.ts'
import { tokensOf } from '../model/messages.ts'
import { noteOf } from '../notes.ts'
import { textsIn, type Texts } from '../texts.ts'
import { KeyCollector } from '../tools/key-collector.ts'
import { toolsOf } from '../tools/tools-of.ts'
import type { Tool } from '../tools/tool.ts'
import { Untrusted } from '../untrusted.ts'

export interface AgentParts extends ModelParts {
  host: Host
  /** A fault of ours, which costs an answer. */
  onFailure: (error: unknown) => void
}

const prosody =
  'You are on the telephone. Answer in one to three short sentences, and begin with a very short one. No lists, no markup, no emoji, no web addresses. ' +
  'Say numbers, dates and times as people say them. If you did not understand something, ask.'

/** With the day of the week, which models reckon badly. */
const timeIn = (timeZone: string, now: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' }).format(now)

/** One call, as long as it lasts. */
export class AgentCall {
  readonly settings: AgentSettings
  readonly session: Session
  readonly deps: AgentParts
  readonly untrusted: Untrusted
  readonly history: History
  readonly budget: Budget
  readonly keys: KeyCollector
  readonly tools: readonly Tool[]
  /** What is spoken now: BCP 47. */
  language: string
  /** What the caller says next is a message. */
  takesMessage = false
  /** Answers in a row that the model did not give. */
  failures = 0
  #interruption = new AbortController()

  constructor(deps: AgentParts, settings: AgentSettings, session: Session, untrusted: Untrusted = new Untrusted()) {
    this.deps = deps
    this.settings = settings
    this.session = session
    this.untrusted = untrusted
    this.language = settings.language
    this.history = new History(() => this.#instructions())
    this.budget = new Budget(settings.assistant.limits, deps.clock)
    this.keys = new KeyCollector(deps.clock)
    this.tools = toolsOf(settings, deps, session.id, this.keys)
  }

  get model(): ModelSettings | undefined {
    return this.settings.assistant.model
  }

  get texts(): Texts {
    return textsIn(this.language)
  }

  get failedText(): string {
    return this.settings.assistant.failed_text ?? this.texts.failed
  }

  /** Aborted when a key has been pressed that means something else than what is being answered. */
  get interruption(): AbortSignal {
    return this.#interruption.signal
  }

  interrupt(): void {
    this.#interruption.abort(new Error('a key was pressed'))
    this.#interruption = new AbortController()
  }

  /** What is kept about a request, and what it costs. */
  attempted(attempt: Attempt, model: OneModel, send: (action: Answer) => void): void {
    const { number, promptTokens, completionTokens, ...rest } = attempt
    const started = attempt.firstTokenMs !== undefined
    const usage = {
      prompt: promptTokens ?? (started ? tokensOf(attempt.request) : 0),
      completion: completionTokens ?? (started ? tokensOf(attempt.response) : 0),
    }
    const cost = costOf(usage, model.price)
    this.budget.spent(usage)
    const { version } = this.settings
    const money = cost && { cost }
    send(noteOf('model', { version, attempt: number, promptTokens: usage.prompt, completionTokens: usage.completion, ...money, ...rest }))
    if (usage.prompt + usage.completion === 0) return
    const spent = this.deps.host.spend(this.session.id, { ...usage, ...money })
    spent.then(
      ({ mayContinue: mayGoOn }) => !mayGoOn && this.budget.dayIsOver(),
      () => {}, // who cannot count does not end the call
    )
  }

  #instructions(): string {
    const { prompt, topics, time_zone = 'UTC' } = this.settings.assistant
    const now = timeIn(time_zone, this.deps.clock.now())
    const lines = [
      prompt,
      prosody,
      `Speak this language: ${this.language}.`,
      `It is ${now} (${time_zone}).`,
      topicsRule(topics),
      this.untrusted.rule,
    ]
    return lines.filter((line) => line !== '').join('\n\n')
  }
}
