import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { AssistantChoice } from '#core/kernel/ports/store/assistant/assistant-choice.ts'

/** A session that has begun and must end, whatever happens to the process that has it. */
export interface OpenSession {
  id: string
  accountId: string
  flowId: string
  /** As it stands in events. */
  session: Session
  startedAt: number
  /** Who has it: one run of one process, see Leases. */
  owner: string
  /** The assistant that is written here, as it was chosen when the session began; without it the flow has an endpoint of its own. */
  assistant?: AssistantChoice
}

/** What its session_end said. */
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

/** What another process needs to go on with it; made and read by core/assistant/session/state. */
export interface StoredSession {
  id: string
  state: unknown
}

export interface Sessions {
  open(session: OpenSession): Promise<void>
  /** False when it was closed before: its end has been told; and when another process has it now. */
  close(id: string, owner: string, end: { reason: SessionEndReason; at: number; sequence: number; turn: number }): Promise<boolean>
  /** What is known of open sessions of this owner, instead of what was. */
  keepStates(owner: string, sessions: readonly StoredSession[]): Promise<void>
  /** Undefined when nothing was kept. */
  stateOf(id: string): Promise<unknown>
  /** Those of these that are open belong to this process from now on. */
  claim(ids: readonly string[], to: string): Promise<void>
  findOpen(id: string): Promise<OpenSession | undefined>
  listOpenOf(owner: string, limit: number): Promise<OpenSession[]>
  /** Open or ended: whose assistant has or had it; undefined when it had another endpoint. */
  assistantOf(id: string): Promise<{ accountId: string; flowId: string; assistant: AssistantChoice } | undefined>
  /** One more SMS of an open session; false when it has sent that many. */
  countSms(id: string, max: number): Promise<boolean>
  findEnded(accountId: string, id: string): Promise<EndedSession | undefined>
  removeClosedBefore(at: number): Promise<number>
}
