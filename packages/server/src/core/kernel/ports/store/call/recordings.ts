/** What is known of a file with sound, beside the history entry that tells of it. */
export interface StoredRecording {
  id: string
  accountId: string
  callId: string
  kind: 'CALL' | 'VOICEMAIL'
  createdAt: number
  durationMs: number
  bytes: number
  truncated: boolean
}

export interface Recordings {
  /** Nothing happens when there is one with this id already. */
  insert(recording: StoredRecording): Promise<void>
  find(accountId: string, id: string): Promise<StoredRecording | undefined>
  /** Of one that was not there to be measured when it was written down. */
  fill(accountId: string, id: string, facts: { durationMs: number; bytes: number }): Promise<void>
  listByCall(accountId: string, callId: string): Promise<StoredRecording[]>
  list(accountId: string, limit: number): Promise<StoredRecording[]>
  /** Of all accounts, the oldest first: whose time is over. */
  listBefore(at: number, limit: number): Promise<StoredRecording[]>
  /** How much all of an account take on the disk. */
  totalBytes(accountId: string): Promise<number>
  remove(accountId: string, id: string): Promise<boolean>
}
