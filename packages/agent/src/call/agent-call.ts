import type { Session } from '@offhook/contract/assistant/session.ts'
import type { ModelSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Answer } from '@offhook/sdk'
import { Budget, costOf, topicsRule } from '../guard.ts'
import { History } from '../history.ts'
import type { AgentSettings, Host } from '../host.ts'
import type { Attempt, ModelParts } from '../model/chat-completions.ts'
import { type OneModel, tokensOf } from '../model/messages.ts'
import { noteOf } from '../notes.ts'
import { textsIn, type Texts } from '../texts.ts'
import { KeyCollector, type Tool, type ToolRun } from '../tools/tool.ts'
import { toolsOf } from '../tools/tools-of.ts'
import { Receipts } from '../claims/receipts.ts'
import { Untrusted } from '../untrusted.ts'
import { withVariables } from '../with-variables.ts'

export interface AgentParts extends ModelParts {
  host: Host
  /** Internal error that costs one answer. */
  onFailure: (error: unknown) => void
}

const speakingStyle =
  'You are on the telephone. Answer in one to three short sentences, and begin with a very short one. No lists, no markup, no emoji, no web addresses. ' +
  'Say numbers, dates and times as people say them. If you did not understand something, ask.'

/** Includes the weekday because models compute it badly. */
const timeIn = (timeZone: string, now: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' }).format(now)

/** State of one call. */
export class AgentCall {
  readonly settings: AgentSettings
  readonly session: Session
  readonly deps: AgentParts
  readonly untrusted: Untrusted
  readonly history: History
  readonly budget: Budget
  readonly keys: KeyCollector
  readonly receipts = new Receipts()
  readonly tools: readonly Tool[]
  /** Current language (BCP 47). */
  language: string
  /** Treats the caller's next words as a message. */
  takesMessage = false
  /** Consecutive answers that the model failed to give. */
  failures = 0
  #interruption = new AbortController()
  /** How many questions for a card wait for their digits. */
  #cardQuestions = 0
  #askedForCard = false

  constructor(deps: AgentParts, settings: AgentSettings, session: Session, untrusted: Untrusted = new Untrusted()) {
    this.deps = deps
    this.settings = withVariables(settings, session.variables, untrusted)
    this.session = session
    this.untrusted = untrusted
    this.language = settings.language
    this.history = new History(() => this.#instructions())
    this.budget = new Budget(settings.assistant.limits, deps.clock)
    this.keys = new KeyCollector(deps.clock)
    this.tools = toolsOf(this.settings, deps, session.id, this.keys, () => this.language)
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

  /** Aborted when the caller presses a key that replaces the current answer. */
  get interruption(): AbortSignal {
    return this.#interruption.signal
  }

  interrupt(): void {
    this.#interruption.abort(new Error('a key was pressed'))
    this.#interruption = new AbortController()
  }

  /** Pauses the recording while card digits are collected. Resumes it in every case: digits, speech, timeout, failure. */
  async confidential(work: () => Promise<ToolRun>, send: (action: Answer) => void): Promise<ToolRun> {
    this.#askedForCard = true
    if (this.#cardQuestions++ === 0) send({ type: 'recording', paused: true })
    try {
      return await work()
    } finally {
      if (--this.#cardQuestions === 0) send({ type: 'recording', paused: false })
    }
  }

  /** The caller may be saying card digits now. */
  get isConfidential(): boolean {
    return this.#cardQuestions > 0
  }

  get askedForCard(): boolean {
    return this.#askedForCard
  }

  /** Text for notes. After a card question, requests and answers may contain its digits until the end of the call. */
  noted(text: string): string {
    return this.#askedForCard && text !== '' ? '…' : text
  }

  /** Records a request and its cost. */
  attempted(attempt: Attempt, model: OneModel, send: (action: Answer) => void): void {
    const { number, promptTokens, completionTokens, request, response, ...rest } = attempt
    const started = attempt.firstTokenMs !== undefined
    const usage = {
      prompt: promptTokens ?? (started ? tokensOf(request) : 0),
      completion: completionTokens ?? (started ? tokensOf(response) : 0),
    }
    const cost = costOf(usage, model.price)
    this.budget.spent(usage)
    const { version } = this.settings
    const money = cost && { cost }
    const tokens = { promptTokens: usage.prompt, completionTokens: usage.completion }
    const bodies = { request: this.noted(request), response: this.noted(response) }
    send(noteOf('model', { version, attempt: number, ...tokens, ...money, ...rest, ...bodies }))
    if (usage.prompt + usage.completion === 0) return
    const spent = this.deps.host.spend(this.session.id, { ...usage, ...money })
    spent.then(
      ({ mayContinue: mayGoOn }) => !mayGoOn && this.budget.dayIsOver(),
      () => {}, // a failed count does not end the call
    )
  }

  #instructions(): string {
    const { prompt, topics, time_zone = 'UTC' } = this.settings.assistant
    const now = timeIn(time_zone, this.deps.clock.now())
    const lines = [
      prompt,
      speakingStyle,
      `Speak this language: ${this.language}.`,
      `It is ${now} (${time_zone}).`,
      topicsRule(topics),
      this.untrusted.rule,
    ]
    return lines.filter((line) => line !== '').join('\n\n')
  }
}
