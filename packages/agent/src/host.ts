import type { RecordedTool } from '@offhook/contract/assistant/scenario.ts'
import type { Variables } from '@offhook/contract/assistant/variables.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { Cost } from '@offhook/contract/v3/results.ts'

/** A published version, or the draft (only for tests). */
export type Version = number | 'draft'

/** One assistant as the agent runs it: settings with decrypted secrets, plus data from its flow. */
export interface AgentSettings {
  flowId: string
  version: Version
  /** Language of the flow unless the caller changes it (BCP 47). */
  language: string
  /** Secrets that sign HTTP tool requests, newest first (`whsec_…`). */
  secrets: readonly string[]
  assistant: AssistantSettings
  /** Defaults of the flow, for trials; in a call the session has them. */
  variables?: Variables
  /** Set in tests: recorded answers that replace HTTP tool requests. */
  rehearsal?: readonly RecordedTool[]
}

export interface MessageTaken {
  name?: string
  phone?: string
  text: string
}

/** A template with its field values, or text by the model. The recipient is always the caller. */
export type SmsWish = { template: string; fields: Record<string, string> } | { text: string }

/** Tokens of one request to a model. */
export interface Spending {
  prompt: number
  completion: number
  cost?: Cost
}

/** What the calendar is asked for. Local times of the calendar: 2027-01-31T14:30. */
export type CalendarRequest =
  | {
      do: 'find'
      service: string | undefined
      person: string | undefined
      day: string | undefined
      days: number | undefined
      part: 'morning' | 'afternoon' | 'evening' | undefined
    }
  | { do: 'hold'; start: string; service: string | undefined; person: string | undefined }
  | { do: 'book'; name: string; email: string | undefined; note: string | undefined }
  | { do: 'list' }
  | { do: 'move'; booking: string; start: string }
  | { do: 'cancel'; booking: string }

/** `done`: content for the model. */
export type CalendarAnswer = { done: Record<string, unknown> } | { refused: string }

/** `refused`: a sentence for the model that says what is forbidden or went wrong. */
export type Outcome = { done: true } | { refused: string }

/**
 * Operations that need the account. The service answers over the channel to the agent's thread or process and checks every request against the
 * settings again: it trusts neither the model nor the caller.
 */
export interface Host {
  /** Rejects an unknown version. */
  settings(flowId: string, version: Version): Promise<AgentSettings>
  /** Allowed addresses for the name; rejects with the reason if there are none. Connect to exactly these addresses. */
  addresses(hostname: string, port: number): Promise<readonly string[]>
  lookUp(flowId: string, query: string, limit: number): Promise<readonly Passage[]>
  sendSms(sessionId: string, sms: SmsWish): Promise<Outcome>
  takeMessage(sessionId: string, message: MessageTaken): Promise<Outcome>
  /** `language`: of the words for times (BCP 47). */
  calendar(sessionId: string, language: string, request: CalendarRequest): Promise<CalendarAnswer>
  /** Reports used tokens; returns whether the flow may use more today. */
  spend(sessionId: string, tokens: Spending): Promise<{ mayContinue: boolean }>
}

/** The service itself, which also tests assistants. */
export interface ServiceHost extends Host {
  /** Recorded HTTP tool answers for the test with this id; rejects an unknown id. */
  rehearsal(sessionId: string): Promise<readonly RecordedTool[]>
}
