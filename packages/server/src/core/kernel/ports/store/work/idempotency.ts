export interface StoredRequest {
  operation: string
  bodyHash: string
  /** Names what the request brings about: a repetition after a crash finds it again. */
  effectId: string
  /** When it was begun, or taken over. */
  at: number
}

export interface StoredReply extends StoredRequest {
  /** Undefined while the first request is still running. */
  reply: string | undefined
}

/** Who began at some time can only finish or forget what is still theirs: taken for dead, they may have been replaced. */
export interface Idempotency {
  find(accountId: string, key: string): Promise<StoredReply | undefined>
  /** False when the key is already there. */
  begin(accountId: string, key: string, request: StoredRequest): Promise<boolean>
  /** Continues a request that died; false when another was faster. */
  takeOver(accountId: string, key: string, times: { from: number; at: number }): Promise<boolean>
  finish(accountId: string, key: string, begun: { at: number; reply: string }): Promise<void>
  forget(accountId: string, key: string, begun: { at: number }): Promise<void>
  removeOlderThan(at: number): Promise<number>
}
