export interface PasswordReset {
  accountId: string
  userId: string
}

export interface PasswordResets {
  insert(accountId: string, reset: { userId: string; nonceHash: string; createdAt: number; expiresAt: number }): Promise<void>
  /** Undefined when unknown, used or expired. */
  findOpen(nonceHash: string, now: number): Promise<PasswordReset | undefined>
  /** True for exactly one of several callers. */
  use(nonceHash: string, now: number): Promise<boolean>
  removeByUser(accountId: string, userId: string): Promise<void>
  removeExpired(now: number): Promise<number>
}
