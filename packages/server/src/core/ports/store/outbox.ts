import type { DueQueue } from './due-queue.ts'

export interface OutboxMessage {
  id: string
  accountId?: string
  /** Which deliverer takes it: `mail`, `carrier`. */
  kind: string
  payload: unknown
  at: number
}

export interface DeadMessage {
  id: string
  accountId: string | undefined
  kind: string
  attempts: number
  lastError: string
  createdAt: number
}

/** What must be told to the outside, written in the same transaction as the fact it tells. */
export interface Outbox extends DueQueue {
  put(message: OutboxMessage): Promise<void>
  listDead(limit: number): Promise<DeadMessage[]>
  /** False when there is no such dead message. */
  revive(id: string, at: number): Promise<boolean>
  /** Forgets what was sent, or given up, and was written before `at`. */
  removeEndedBefore(at: number): Promise<number>
}
