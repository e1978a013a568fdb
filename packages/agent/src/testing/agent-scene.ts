import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Variables } from '@offhook/contract/assistant/variables.ts'
import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { AgentClock } from '../clock.ts'
import { agent } from '../agent.ts'
import type { AgentSettings, CalendarAnswer, CalendarRequest, Host, MessageTaken, Outcome, SmsWish, Spending } from '../host.ts'
import { Refusals } from '../model/messages.ts'
import type { Fetch } from '../outbound.ts'
import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import { VirtualCall, type VirtualCallOptions } from '@offhook/sdk/simulate/virtual-call.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { ScriptedModel, type Step } from '#test/model/scripted-model.ts'

/** Service that allows everything the settings allow, and records requests. */
export class ScriptedHost implements Host {
  readonly sms: SmsWish[] = []
  readonly messages: MessageTaken[] = []
  readonly booked: CalendarRequest[] = []
  calendarAnswer: CalendarAnswer = { done: {} }
  readonly spent: Spending[] = []
  readonly lookedUp: string[] = []
  passages: Passage[] = []
  mayContinue = true
  outcome: Outcome = { done: true }

  settings = (): Promise<AgentSettings> => Promise.reject(new Error('not here'))
  addresses = async (): Promise<string[]> => ['127.0.0.1']
  lookUp = async (_flow: string, query: string, limit: number): Promise<Passage[]> => {
    this.lookedUp.push(query)
    return this.passages.slice(0, limit)
  }
  sendSms = async (_session: string, sms: SmsWish): Promise<Outcome> => {
    this.sms.push(sms)
    return this.outcome
  }
  takeMessage = async (_session: string, message: MessageTaken): Promise<Outcome> => {
    this.messages.push(message)
    return this.outcome
  }
  calendar = async (_session: string, _language: string, request: CalendarRequest): Promise<CalendarAnswer> => {
    this.booked.push(request)
    return this.calendarAnswer
  }
  spend = async (_session: string, tokens: Spending): Promise<{ mayContinue: boolean }> => {
    this.spent.push(tokens)
    return { mayContinue: this.mayContinue }
  }
}

/** A call with accessors for tests. */
class SceneCall extends VirtualCall<AgentSettings> {
  /** All frames sent by the agent. */
  get frames(): Action[] {
    return this.record.deeds.map(({ action }) => action)
  }

  /** Heard text, speech by speech; a cut-off speech ends with an ellipsis. */
  get heard(): string[] {
    const speeches = this.record.moments.filter(({ by, text }) => by === 'assistant' && text)
    return speeches.map(({ text = '', cut }) => `${text.replace(/\s+/g, ' ')}${cut ? '…' : ''}`)
  }

  /** Text that the agent says in this turn, heard or not, speech by speech. */
  get written(): string[] {
    const texts = new Map<string | Action, string>()
    for (const action of this.actions('speak')) {
      const key = action.stream_id ?? action
      if (action.turn === this.turn) texts.set(key, `${texts.get(key) ?? ''}${action.text}`)
    }
    return Array.from(texts.values(), (text) => text.trim())
  }

  actions<T extends Action['type']>(type: T): ActionOf<T>[] {
    return this.frames.filter((action): action is ActionOf<T> => action.type === type)
  }

  notes(name: string): Record<string, unknown>[] {
    return this.actions('note')
      .filter((note) => note.name === name)
      .map(({ data }) => data as Record<string, unknown>)
  }
}

export const modelSettings = { url: 'http://model.test/v1', name: 'scripted', api_key: 'sk-secret' }

interface SceneInput {
  script?: Step[]
  assistant?: Partial<AssistantSettings>
  language?: string
  /** Handles addresses other than the model's. */
  elsewhere?: Fetch
  transfer?: VirtualCallOptions['transfer']
  variables?: Variables
}

/** Agent with a scripted model and host in virtual time. */
export const agentScene = ({ script = [], assistant = {}, language = 'en-US', elsewhere, transfer, variables }: SceneInput = {}) => {
  const clock = new VirtualClock()
  const agentClock: AgentClock = clock
  const model = new ScriptedModel(script, (ms, task) => clock.after(ms, task))
  const host = new ScriptedHost()
  const fetch: Fetch = (url, input) => (elsewhere && !url.includes('model.test') ? elsewhere(url, input) : model.fetch(url, input))
  const failures: unknown[] = []
  const bot = agent({ clock: agentClock, host, fetch, refusals: new Refusals(), onFailure: (error) => failures.push(error) })
  const settings: AgentSettings = {
    flowId: 'flow-1',
    version: 3,
    language,
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    assistant: {
      greeting: 'Welcome to the bistro.',
      prompt: 'You work for a bistro.',
      disclosure: { mode: 'off', reason: 'test' },
      model: modelSettings,
      ...assistant,
    },
  }
  const call = new SceneCall(bot, {
    given: settings,
    clock,
    sessionId: 'call-1',
    ...(transfer && { transfer }),
    ...(variables && { variables }),
  })
  return { bot, call, clock, failures, host, model, settings }
}
