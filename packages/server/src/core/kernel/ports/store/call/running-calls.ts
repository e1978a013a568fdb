import type { SavedDialog } from '#core/kernel/ports/telephony.ts'

/** A call that must end, be paid for and be written down, whatever happens to the process that has it. */
export interface SavedCall {
  callId: string
  /** Who has it: one run of one process, see Leases. */
  owner: string
  /** When it was written for the last time: then it was alive. */
  savedAt: number
  snapshot: CallSnapshot
}

/** Made by core/telephone/call/books/snapshot.ts, which alone reads it. */
export interface CallSnapshot {
  startedAt: number
  /** One for each account that it concerns, as in core/telephone/call/state/call-details.ts. */
  sides: readonly unknown[]
  /** Money that is reserved for it, as in core/telephone/call/money/prepaid.ts. */
  meters: readonly unknown[]
  /** Files that are being written. */
  recordings: readonly RunningRecording[]
  /** How to end its legs. */
  dialogs: readonly SavedDialog[]
}

export interface RunningRecording {
  accountId: string
  id: string
  kind: 'CALL' | 'VOICEMAIL'
  /** When it began. */
  at: number
}

export interface RunningCalls {
  /** False when it is there already. */
  open(call: SavedCall): Promise<boolean>
  /** False when it is not there any more: another process has closed it. */
  update(callId: string, snapshot: CallSnapshot, at: number): Promise<boolean>
  /** The same. True for exactly one process. */
  remove(callId: string): Promise<boolean>
  has(callId: string): Promise<boolean>
  /** One of them has made a file with this name, or is making it. */
  haveRecording(recordingId: string): Promise<boolean>
  listOf(owner: string, limit: number): Promise<SavedCall[]>
}
