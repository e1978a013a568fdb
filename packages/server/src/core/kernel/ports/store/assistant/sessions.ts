import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'

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
}

/** What another process needs to go on with it; made and read by core/assistant/session/state. */
export interface KeptSession {
  id: string
  state: unknown
}

export interface Sessions {
  open(session: OpenSession): Promise<void>
  /** False when it was closed before: its end has been told; and when another process has it now. */
  close(id: string, owner: string, end: { reason: SessionEndReason; at: number; sequence: number; turn: number }): Promise<boolean>
  /** What is known of open sessions of this owner, instead of what was. */
  keepStates(owner: string, sessions: readonly KeptSession[]): Promise<void>
  /** Undefined when nothing was kept. */
  stateOf(id: string): Promise<unknown>
  /** Those of these that are open belong to this process from now on. */
  claim(ids: readonly string[], to: string): Promise<void>
  findOpen(id: string): Promise<OpenSession | undefined>
  listOpenOf(owner: string, limit: number): Promise<OpenSession[]>
  findEnded(accountId: string, id: string): Promise<EndedSession | undefined>
  removeClosedBefore(at: number): Promise<number>
}
