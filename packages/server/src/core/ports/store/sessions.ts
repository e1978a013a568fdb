import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'

/** A session that has begun and must end, whatever happens to the process that has it. */
export interface OpenSession {
  id: string
  accountId: string
  flowId: string
  /** As it stands in events. */
  session: Session
  startedAt: number
  /** Who has it: one run of one process. */
  owner: string
  /** Whoever has it renews this; later nobody has it any more. */
  leaseUntil: number
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
  /** False when it was closed before: its end has been told. */
  close(id: string, end: { reason: SessionEndReason; at: number; sequence: number; turn: number }): Promise<boolean>
  renew(owner: string, leaseUntil: number): Promise<void>
  /** Open, but nobody has them any more. */
  listAbandoned(now: number, limit: number): Promise<OpenSession[]>
  /** Of earlier runs on a database that only one process uses at a time: nobody has them, whatever their lease says. */
  listOfOthers(owner: string, limit: number): Promise<OpenSession[]>
  findEnded(accountId: string, id: string): Promise<EndedSession | undefined>
  removeClosedBefore(at: number): Promise<number>
}
