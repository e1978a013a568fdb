import type { DueEntry, DueQueue, FirstLease } from './due-queue.ts'

export interface OutboxMessage {
  id: string
  accountId?: string
  /** Which deliverer takes it: `mail`, `carrier`, … */
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

/** With what it would have said, for its owner. */
export interface DeadLetter extends DueEntry {
  lastError: string
  createdAt: number
}

/** What must be told to the outside, written in the same transaction as the fact it tells. */
export interface Outbox extends DueQueue {
  /** `lease`: who writes it delivers it at once, which is its first attempt. */
  put(message: OutboxMessage, lease?: FirstLease): Promise<void>
  /** False: it was put there before, and nothing happens. */
  putOnce(message: OutboxMessage, lease?: FirstLease): Promise<boolean>
  /** When it will be tried next, 0 while it is being tried; undefined when it was told, given up or never there. */
  waitsUntil(id: string): Promise<number | undefined>
  listDead(limit: number): Promise<DeadMessage[]>
  /** Of one account and kind, the latest first. */
  listDeadOf(accountId: string, kind: string, page: { offset: number; limit: number }): Promise<DeadLetter[]>
  countDeadOf(accountId: string, kind: string): Promise<number>
  findDeadOf(accountId: string, kind: string, id: string): Promise<DeadLetter | undefined>
  /** False when there is no such dead message. */
  revive(id: string, at: number): Promise<boolean>
  /** Forgets what was sent, or given up, and was written before `at`. */
  removeEndedBefore(at: number): Promise<number>
}
