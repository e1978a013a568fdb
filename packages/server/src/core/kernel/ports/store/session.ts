import type { Variables } from '@offhook/contract/assistant/variables.ts'
import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { resultDeliveryStates } from '@offhook/contract/v3/results.ts'
import type { sentiments } from '@offhook/contract/assistant/actions.ts'
import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { testRunStates } from '@offhook/contract/v3/scenarios.ts'

/** Assistant of a session: a published version, the draft, or none if none is published. */
export type AssistantChoice = number | 'draft' | 'none'

/** Parses the stored form. */
export const readChoice = (text: string): AssistantChoice => (text === 'draft' || text === 'none' ? text : Number(text))

/** Open session that must be ended even if its node dies. */
export interface OpenSession {
  id: string
  accountId: string
  flowId: string
  /** As contained in events. */
  session: Session
  startedAt: number
  /** Owning run of a process, see Leases. */
  owner: string
  /** Assistant chosen at the start of the session; missing for flows with their own endpoint. */
  assistant?: AssistantChoice
}

/** Content of its session_end. */
export interface EndedSession {
  id: string
  accountId: string
  flowId: string
  session: Session
  reason: SessionEndReason
  sequence: number
  turn: number
  assistant?: AssistantChoice
}

/** State that another node needs to resume the session; written and read by core/assistant/session/state. */
interface StoredSession {
  id: string
  state: unknown
}

export interface Sessions {
  open(session: OpenSession): Promise<void>
  /** False if it was closed before, with its end reported, or if another node owns it now. */
  close(id: string, owner: string, end: { reason: SessionEndReason; at: number; sequence: number; turn: number }): Promise<boolean>
  /** Replaces the session as contained in events, while it is open and of this owner. */
  change(id: string, owner: string, session: Session): Promise<void>
  /** Replaces the stored states of this owner's open sessions. */
  keepStates(owner: string, sessions: readonly StoredSession[]): Promise<void>
  /** Undefined if none was stored. */
  stateOf(id: string): Promise<unknown>
  /** Assigns the open sessions of these calls to this process. */
  claim(callIds: readonly string[], to: string): Promise<void>
  findOpen(id: string): Promise<OpenSession | undefined>
  /** Several only for a moment, when one assistant takes the call over from another. */
  listOpenOfCall(callId: string): Promise<OpenSession[]>
  listOpenOf(owner: string, limit: number): Promise<OpenSession[]>
  /** Assistant of an open or ended session; undefined if it used another endpoint. */
  assistantOf(id: string): Promise<{ accountId: string; flowId: string; assistant: AssistantChoice } | undefined>
  /** Counts one more SMS of an open session; false once `max` is reached. */
  countSms(id: string, max: number): Promise<boolean>
  findEnded(accountId: string, id: string): Promise<EndedSession | undefined>
  removeClosedBefore(at: number): Promise<number>
}

/** Action of a reply that was not performed, with the reason. Shown in the customer's delivery log. */
export interface ActionProblem {
  /** Index in the reply; -1 for the reply as a whole. */
  index: number
  type?: string
  /** Names the field. */
  message: string
}

/** `superseded`: the session no longer waited for the reply. */
export type DeliveryState = 'delivered' | 'failed' | 'superseded' | 'dead'

/** Delivery attempt to a customer's endpoint. Contains only the size of the content, never the content. */
export interface Delivery {
  /** Increases with time. */
  id: string
  accountId: string
  flowId: string
  sessionId: string
  eventId: string
  eventType: string
  sequence: number
  turn: number
  attempt: number
  /** `listener`: a developer's machine received it instead. */
  channel: 'webhook' | 'websocket' | 'fallback' | 'listener'
  at: number
  durationMs: number
  state: DeliveryState
  status: number | undefined
  requestBytes: number
  replyBytes: number
  /** Types of the valid actions. */
  actions: readonly string[]
  problems: readonly ActionProblem[]
  error: string | undefined
}

/** Maximum actions and problems per delivery, including later additions: a faulty endpoint would fill the log. */
export const maxRecorded = 100

/** Information added to an attempt afterwards. */
export interface DeliveryAmendment {
  actions: readonly string[]
  problems: readonly ActionProblem[]
  /** Reason for a failure detected later. */
  error?: string | undefined
}

interface DeliveryFilter {
  sessionId?: string
  state?: DeliveryState
  /** Id of the last item read. */
  before?: string
  limit: number
  offset?: number
}

export interface Deliveries {
  insert(deliveries: readonly Delivery[]): Promise<void>
  /** Newest first. */
  list(accountId: string, flowId: string, filter: DeliveryFilter): Promise<Delivery[]>
  /** Latest ten of each flow, plus the latest success and failure of any age; newest first. */
  latest(accountId: string, flowIds: readonly string[]): Promise<Delivery[]>
  find(accountId: string, flowId: string, id: string): Promise<Delivery | undefined>
  /** Time of the first failure after this attempt; undefined if none. */
  firstFailure(accountId: string, flowId: string, after: string | undefined): Promise<number | undefined>
  /** Successes and failures since then. */
  tally(accountId: string, flowId: string, since: number): Promise<{ ok: number; failed: number }>
  /** Amends the latest attempt for that event; no-op if none exists. */
  amend(eventId: string, amendment: DeliveryAmendment): Promise<void>
  /** Removes at most `limit`; returns the count. */
  removeBefore(at: number, limit: number): Promise<number>
}

export type ResultDelivery = (typeof resultDeliveryStates)[number]

export interface TakenMessage {
  name?: string
  phone?: string
  text: string
  at: number
}

/** Result reported by the endpoint. */
export interface PublishedResult {
  outcome?: string
  summary?: string
  sentiment?: (typeof sentiments)[number]
  fields?: Record<string, unknown>
  nextSteps?: readonly string[]
  problem?: string
}

/** Metrics known at the end of the session. */
export interface CountedResult {
  durationMs: number
  endReason: SessionEndReason
  turns: number
  interruptions: number
  transferredTo?: string
  /** Milliseconds from the caller's last sound to the start of the reply, median over the turns. */
  firstSoundMs?: number
  /** As they were at the end. */
  variables?: Variables
  correlationId?: string
}

export interface StartedResult {
  /** Id of the session: that of the call, and of a later assistant with a number after it. */
  callId: string
  accountId: string
  flowId: string
  /** Version of the assistant; missing for a customer's own endpoint and for drafts. */
  version?: number | undefined
  /** URL that receives the result. */
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
  /** Id of the latest outbox event. */
  eventId?: string
}

interface ResultFilter {
  from?: number
  to?: number
  outcome?: string
  version?: number
  /** Lower-case words, all required. */
  words?: readonly string[]
  /** Last item read. */
  before?: Pick<StoredResult, 'callId' | 'startedAt'>
  limit: number
  offset?: number
}

interface Spent {
  prompt: number
  completion: number
  cost?: { micros: number; currency: string }
}

/** Results of assistant calls. */
export interface Results {
  /** No-op if it already began. */
  begin(result: StartedResult): Promise<void>
  /** Takes the id of a session, or of a call: then the latest of its results. */
  find(accountId: string, flowId: string, callId: string): Promise<StoredResult | undefined>
  /** Only for the owner of the call. Locks the row until the transaction ends. */
  lock(callId: string): Promise<StoredResult | undefined>
  /** Newest first. */
  list(accountId: string, flowId: string, filter: ResultFilter): Promise<StoredResult[]>
  /** Stores the metrics, inserting the row if necessary; returns what decides about delivery. */
  end(result: StartedResult, counted: CountedResult): Promise<{ webhookUrl: string | undefined; isTold: boolean }>
  /** False if the call does not exist. Ignores a cost in a different currency. */
  spend(callId: string, spent: Spent): Promise<boolean>
  /** Replaces messages and result; `search`: the words of both. */
  tell(callId: string, said: { messages: readonly TakenMessage[]; told: PublishedResult | undefined; search: string }): Promise<void>
  setDelivery(callId: string, delivery: ResultDelivery, eventId?: string): Promise<void>
  removeOfFlow(accountId: string, flowId: string): Promise<void>
  removeOf(accountId: string): Promise<void>
  /** Removes at most `limit`; returns the count. */
  removeBefore(at: number, limit: number): Promise<number>
  /** Same for one account. */
  removeOfBefore(accountId: string, at: number, limit: number): Promise<number>
}

/** Test scenario stored with a flow. */
export interface StoredScenario {
  scenario: Scenario
  /** Blocks publishing while it fails. */
  required: boolean
  updatedAt: number
}

/** Removed with the flow, or when the account is closed. */
export interface Scenarios {
  names(accountId: string, flowId: string): Promise<string[]>
  find(accountId: string, flowId: string, name: string): Promise<StoredScenario | undefined>
  /** By name, after this one. */
  list(accountId: string, flowId: string, page: { after?: string; limit: number }): Promise<StoredScenario[]>
  /** Replaces the scenario of the same name. */
  put(accountId: string, flowId: string, kept: StoredScenario): Promise<void>
  remove(accountId: string, flowId: string, name: string): Promise<boolean>
  removeOf(accountId: string): Promise<void>
}

type TestRunState = (typeof testRunStates)[number]

export interface StoredTestRun {
  id: string
  flowId: string
  state: TestRunState
  /** Undefined: the version that answers calls. */
  choice: 'draft' | number | undefined
  total: number
  startedAt: number
}

export interface TestRuns {
  insert(accountId: string, run: StoredTestRun): Promise<void>
  find(accountId: string, flowId: string, id: string): Promise<StoredTestRun | undefined>
  /** Newest first. */
  list(accountId: string, flowId: string, limit: number): Promise<StoredTestRun[]>
  /** Running tests of all flows, started since then. */
  countRunning(accountId: string, since: number): Promise<number>
  /** False if it was removed. */
  setState(accountId: string, id: string, state: TestRunState): Promise<boolean>
  /** Reports from the nth one on, at most `count`, in order. */
  reports(accountId: string, id: string, page: { from: number; count: number }): Promise<ScenarioReport[]>
  /** `nth`: position in the run. */
  addReport(accountId: string, id: string, nth: number, report: ScenarioReport): Promise<void>
  /** Removes runs started before. */
  removeBefore(before: number): Promise<void>
  /** Same for one account. */
  removeOfBefore(accountId: string, before: number): Promise<void>
  removeOf(accountId: string): Promise<void>
}
