/** Signs what an account's own software is told about calls. */
export interface PushSecret {
  id: string
  /** By the vault. */
  sealed: string
  createdAt: number
  /** Set when a newer one took its place. */
  expiresAt: number | undefined
}

export interface PushSecrets {
  /** Also those that have expired; the newest first. */
  list(accountId: string): Promise<PushSecret[]>
  insert(accountId: string, secret: PushSecret): Promise<void>
  /** Those that have no end yet get this one. */
  expireAll(accountId: string, expiresAt: number): Promise<void>
  remove(accountId: string, id: string): Promise<boolean>
}
