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

export interface Sessions {
  open(session: OpenSession): Promise<void>
  /** False when it was closed before: its end has been told; and when another process has it now. */
  close(id: string, owner: string, end: { reason: SessionEndReason; at: number; sequence: number; turn: number }): Promise<boolean>
  /** Those of these that are open belong to this process from now on. */
  claim(ids: readonly string[], to: string): Promise<void>
  findOpen(id: string): Promise<OpenSession | undefined>
  listOpenOf(owner: string, limit: number): Promise<OpenSession[]>
  findEnded(accountId: string, id: string): Promise<EndedSession | undefined>
  removeClosedBefore(at: number): Promise<number>
}
