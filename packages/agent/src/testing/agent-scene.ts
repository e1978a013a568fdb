import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { AgentClock } from '../clock.ts'
import { agent } from '../agent.ts'
import type { AgentSettings, Host, MessageTaken, Outcome, SmsWish, Spending } from '../host.ts'
import { Refusals } from '../model/flavours.ts'
import type { Fetch } from '../outbound.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { ScriptedModel, type Step } from '#test/model/scripted-model.ts'
import { SimulatedCall } from '#test/model/simulated-call.ts'

/** A service that allows what the settings allow, and keeps what it was asked. */
export class ScriptedHost implements Host {
  readonly sms: SmsWish[] = []
  readonly messages: MessageTaken[] = []
  readonly spent: Spending[] = []
  readonly lookedUp: string[] = []
  passages: Passage[] = []
  mayGoOn = true
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
  spend = async (_session: string, tokens: Spending): Promise<{ mayGoOn: boolean }> => {
    this.spent.push(tokens)
    return { mayGoOn: this.mayGoOn }
  }
}

export const modelSettings = { url: 'http://model.test/v1', name: 'scripted', api_key: 'sk-secret' }

export interface SceneWish {
  script?: Step[]
  assistant?: Partial<AssistantSettings>
  language?: string
  /** For addresses that are not the model's. */
  elsewhere?: Fetch
}

/** An agent with a scripted model and host, in virtual time. */
export const agentScene = ({ script = [], assistant = {}, language = 'en-US', elsewhere }: SceneWish = {}) => {
  const clock = new VirtualClock()
  const agentClock: AgentClock = clock
  const model = new ScriptedModel(script, (ms, task) => clock.after(ms, task))
  const host = new ScriptedHost()
  const fetch: Fetch = (url, wish) => (elsewhere && !url.includes('model.test') ? elsewhere(url, wish) : model.fetch(url, wish))
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
  const call = new SimulatedCall(bot, settings, clock)
  return { bot, call, clock, failures, host, model, settings }
}
