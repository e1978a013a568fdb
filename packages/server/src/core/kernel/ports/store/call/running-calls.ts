import type { SavedDialog } from '#core/kernel/ports/telephony.ts'

/** Who has a call. Whatever is written about it has to match: a process that lost it without noticing writes nothing. */
export interface CallHold {
  callId: string
  /** One run of one process, see Leases. */
  owner: string
  /** 1 for the process that began it; one more whenever another takes it over. */
  epoch: number
}

/** A call that must go on or end, be paid for and be written down, whatever happens to the process that has it. */
export interface SavedCall extends CallHold {
  /** When it began. */
  startedAt: number
  /** When it was written for the last time: then it was alive. */
  savedAt: number
  snapshot: CallSnapshot
}

/** Made by core/telephone/call/records/snapshot.ts, which alone reads it. */
export interface CallSnapshot {
  /** Of what is needed to go on with it; what is needed to end it is in every version. See `snapshotVersion`. */
  version?: number
  startedAt: number
  /** One for each account that it concerns, as in core/telephone/call/state/call-details.ts. */
  sides: readonly unknown[]
  /** Money that is reserved for it, as in core/telephone/call/money/prepaid.ts. */
  meters: readonly unknown[]
  /** Files that are being written. */
  recordings: readonly RunningRecording[]
  /** How to go on with its legs, or to end them. */
  dialogs: readonly SavedDialog[]
  /** How to go on with it, as in core/telephone/call/records/course.ts; what a later version knows beyond that is kept. */
  course?: unknown
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
  /** False when it is not held like this any more: another process has taken or closed it. */
  update(hold: CallHold, snapshot: CallSnapshot, at: number): Promise<boolean>
  /** The same. True for exactly one process. */
  remove(hold: CallHold): Promise<boolean>
  /** Another process holds it. If not, it stays so until the transaction is over. */
  isTaken(from: CallHold): Promise<boolean>
  /**
   * Takes calls of a process that is gone, the longest first: what it still writes about them has no effect. Calls that others claim at the
   * same moment are left out, and those whose snapshot has a later version.
   */
  claim(from: string, to: string, at: { most: number; version: number }): Promise<SavedCall[]>
  /** The same for one call, whose holder agrees. Undefined when it is not held like this. */
  pass(hold: CallHold, to: string): Promise<SavedCall | undefined>
  /** Undefined when it is over. */
  holderOf(callId: string): Promise<CallHold | undefined>
  has(callId: string): Promise<boolean>
  /** One of them has made a file with this name, or is making it. */
  haveRecording(recordingId: string): Promise<boolean>
  listOf(owner: string, limit: number): Promise<SavedCall[]>
}
