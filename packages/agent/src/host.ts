import type { RecordedTool } from '@offhook/contract/assistant/scenario.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { Cost } from '@offhook/contract/v3/results.ts'

/** A published version, or what is being written (only for those who try it). */
export type Version = number | 'draft'

/** One assistant as the agent runs it: its settings with their secrets opened, and what it has to know of its flow. */
export interface AgentSettings {
  flowId: string
  version: Version
  /** BCP 47: what the flow speaks unless callers speak another one. */
  language: string
  /** Sign what HTTP tools are sent, the newest first (`whsec_…`). */
  secrets: readonly string[]
  assistant: AssistantSettings
  /** The call is only a test: HTTP tools answer so, and are not asked. */
  rehearsal?: readonly RecordedTool[]
}

export interface MessageTaken {
  name?: string
  phone?: string
  text: string
}

/** A template's name and what stands in its fields, or words of the model's own. The recipient is always who calls. */
export type SmsWish = { template: string; fields: Record<string, string> } | { text: string }

/** Tokens of one request to a model. */
export interface Spending {
  prompt: number
  completion: number
  cost?: Cost
}

/** `refused`: a sentence for the model: what is not allowed, or went wrong. */
export type Outcome = { done: true } | { refused: string }

/**
 * What the agent cannot do by itself, because it needs the account. The service answers over the channel to the thread or process in which the
 * agent runs, and checks every wish against the settings once more: nothing that a model or a caller says is believed.
 */
export interface Host {
  /** Rejects when there is no such version. */
  settings(flowId: string, version: Version): Promise<AgentSettings>
  /** Where connections to this name may go; rejects with the reason when nowhere. The very addresses are to be connected to. */
  addresses(hostname: string, port: number): Promise<readonly string[]>
  lookUp(flowId: string, query: string, limit: number): Promise<readonly Passage[]>
  sendSms(sessionId: string, sms: SmsWish): Promise<Outcome>
  takeMessage(sessionId: string, message: MessageTaken): Promise<Outcome>
  /** Tokens that were used; whether the flow may use more today. */
  spend(sessionId: string, tokens: Spending): Promise<{ mayContinue: boolean }>
}

/** The service itself, which also tests assistants. */
export interface ServiceHost extends Host {
  /** What HTTP tools answer in the test with this id; rejects when there is none. */
  rehearsal(sessionId: string): Promise<readonly RecordedTool[]>
}
