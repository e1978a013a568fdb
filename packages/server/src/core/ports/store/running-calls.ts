import type { SavedDialog } from '../telephony.ts'

/** A call that was answered and must end, be paid for and be written down, whatever happens to the process that has it. */
export interface SavedCall {
  callId: string
  /** One run of one process. */
  owner: string
  /** Whoever has it renews this; later nobody has it any more. */
  leaseUntil: number
  snapshot: CallSnapshot
}

/** Made by core/call/snapshot.ts, which alone reads it. */
export interface CallSnapshot {
  startedAt: number
  answeredAt: number
  /** One for each account that it concerns, as in core/call/story.ts. */
  sides: readonly unknown[]
  /** Legs that cost money. */
  meters: readonly { accountId: string; sessionId: string; startedAt: number | undefined }[]
  /** How to end its legs. */
  dialogs: readonly SavedDialog[]
}

export interface RunningCalls {
  save(call: SavedCall): Promise<void>
  /** False when it is not there any more: another process has closed it. */
  remove(callId: string): Promise<boolean>
  renew(owner: string, leaseUntil: number): Promise<void>
  listAbandoned(now: number, limit: number): Promise<SavedCall[]>
  /** Of earlier runs on a database that only one process uses at a time. */
  listOfOthers(owner: string, limit: number): Promise<SavedCall[]>
}
