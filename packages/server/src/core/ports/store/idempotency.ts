export interface KeptReply {
  operation: string
  bodyHash: string
  /** Undefined while the first request is still running. */
  reply: string | undefined
  createdAt: number
}

export interface Idempotency {
  find(accountId: string, key: string): Promise<KeptReply | undefined>
  /** False when the key is already there. */
  begin(accountId: string, key: string, request: { operation: string; bodyHash: string; at: number }): Promise<boolean>
  finish(accountId: string, key: string, reply: string): Promise<void>
  forget(accountId: string, key: string): Promise<void>
  removeOlderThan(at: number): Promise<number>
}
