import type { RecordingRule } from '@offhook/contract/v1/settings/recording-rule.ts'

/** Metadata of an audio file. A recording that went on at another node has several. */
export interface StoredRecording {
  id: string
  accountId: string
  callId: string
  kind: 'CALL' | 'VOICEMAIL'
  createdAt: number
  durationMs: number
  /** 0 while it is unknown. */
  bytes: number
  truncated: boolean
  /** Recording that this file continues. */
  partOf?: string | undefined
  /** Data folder that has the file, see `RecordingFiles.place`. */
  place?: string | undefined
  /** Its node was lost: the file is at a machine that is away, or may still be completed by it. */
  awaited: boolean
}

export interface Recordings {
  /** No-op if this id exists. */
  insert(recording: Omit<StoredRecording, 'awaited'> & { awaited?: boolean }): Promise<void>
  find(accountId: string, id: string): Promise<StoredRecording | undefined>
  /** Sets the length of a file that was missing when its row was written. */
  fill(accountId: string, id: string, facts: { durationMs: number; bytes: number; awaited: boolean }): Promise<void>
  /** Awaited files of all accounts with a greater id, by id. */
  listAwaited(after: string, limit: number): Promise<StoredRecording[]>
  /** The files of a recording in the order of their times, the first one included. */
  listParts(accountId: string, id: string): Promise<StoredRecording[]>
  listByCall(accountId: string, callId: string): Promise<StoredRecording[]>
  list(accountId: string, limit: number): Promise<StoredRecording[]>
  /** Recordings of all accounts, oldest first. */
  listBefore(at: number, limit: number): Promise<StoredRecording[]>
  listOfBefore(accountId: string, kind: StoredRecording['kind'], at: number, limit: number): Promise<StoredRecording[]>
  /** Disk usage of the account in bytes. */
  totalBytes(accountId: string): Promise<number>
  remove(accountId: string, id: string): Promise<boolean>
}

export interface RecordingRules {
  /** Rule of the account, or of one of its numbers; undefined if none is set. */
  find(accountId: string, numberId?: string): Promise<RecordingRule | undefined>
  /** Rule that applies to a call with this number of the account. */
  inForce(accountId: string, e164: string | undefined): Promise<RecordingRule>
  /** Rules of the account's current numbers. */
  listNumbers(accountId: string): Promise<{ numberId: string; number: string; rule: RecordingRule }[]>
  /** Undefined removes the rule. */
  set(accountId: string, rule: RecordingRule | undefined, numberId?: string): Promise<void>
  removeOf(accountId: string): Promise<void>
}
