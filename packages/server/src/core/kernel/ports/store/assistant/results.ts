import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { resultDeliveryStates } from '@offhook/contract/v3/results.ts'
import type { sentiments } from '@offhook/contract/assistant/actions.ts'

export type ResultDelivery = (typeof resultDeliveryStates)[number]

export interface TakenMessage {
  name?: string
  phone?: string
  text: string
  at: number
}

/** What the endpoint says of the call. */
export interface PublishedResult {
  outcome?: string
  summary?: string
  sentiment?: (typeof sentiments)[number]
  fields?: Record<string, unknown>
  nextSteps?: readonly string[]
  problem?: string
}

/** What is known when the session is over. */
export interface CountedResult {
  durationMs: number
  endReason: SessionEndReason
  turns: number
  interruptions: number
  transferredTo?: string
  /** From the caller's last sound to the first of the answer, the median of the turns. */
  firstSoundMs?: number
}

export interface StartedResult {
  callId: string
  accountId: string
  flowId: string
  /** Of the assistant; none: an endpoint of the customer's own, or an assistant that is still being written. */
  version?: number | undefined
  /** Where the result goes. */
  webhookUrl?: string | undefined
  startedAt: number
}

export interface StoredResult extends StartedResult, Partial<CountedResult> {
  turns: number
  interruptions: number
  messages: readonly TakenMessage[]
  promptTokens: number
  completionTokens: number
  /** Millionths of the currency. */
  costMicros: number
  currency?: string
  told?: PublishedResult
  delivery: ResultDelivery
  /** Names what was put into the outbox last. */
  eventId?: string
}

export interface ResultFilter {
  from?: number
  to?: number
  outcome?: string
  version?: number
  /** All of these words, in small letters. */
  words?: readonly string[]
  /** The last one that was read. */
  before?: Pick<StoredResult, 'callId' | 'startedAt'>
  limit: number
}

export interface Spent {
  prompt: number
  completion: number
  cost?: { micros: number; currency: string }
}

/** What came of the calls of assistants. */
export interface Results {
  /** Nothing happens when it has begun before. */
  begin(result: StartedResult): Promise<void>
  find(accountId: string, flowId: string, callId: string): Promise<StoredResult | undefined>
  /** Whoever asks has the call. Locks it until the transaction ends. */
  lock(callId: string): Promise<StoredResult | undefined>
  /** The latest first. */
  list(accountId: string, flowId: string, filter: ResultFilter): Promise<StoredResult[]>
  /** What was counted, whether it had begun before or not; gives what decides about telling it. */
  end(result: StartedResult, counted: CountedResult): Promise<{ webhookUrl: string | undefined; isTold: boolean }>
  /** False when there is no such call. A cost in another currency than before is not added. */
  spend(callId: string, spent: Spent): Promise<boolean>
  /** Instead of what was there; `search`: the words of all of it. */
  tell(callId: string, said: { messages: readonly TakenMessage[]; told: PublishedResult | undefined; search: string }): Promise<void>
  setDelivery(callId: string, delivery: ResultDelivery, eventId?: string): Promise<void>
  removeOfFlow(accountId: string, flowId: string): Promise<void>
  removeOf(accountId: string): Promise<void>
  /** At most `limit` of them; how many it were. */
  removeBefore(at: number, limit: number): Promise<number>
}
