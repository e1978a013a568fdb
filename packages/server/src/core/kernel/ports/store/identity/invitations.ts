import type { UserRole } from '@offhook/contract/roles.ts'
import type { Locale } from '#core/kernel/translations/index.ts'

export interface Invitation {
  id: string
  email: string
  firstname: string
  lastname: string
  role: UserRole
  /** What the phone line will be called; empty: like its user. */
  lineName: string
  locale: Locale
  /** The user who invited them. */
  invitedBy: string
  createdAt: number
  expiresAt: number
}

export interface Invitations {
  /** Oldest first, also those that have expired. */
  list(accountId: string): Promise<Invitation[]>
  find(accountId: string, id: string): Promise<Invitation | undefined>
  /** Undefined when unknown or expired. */
  findOpen(nonceHash: string, now: number): Promise<(Invitation & { accountId: string }) | undefined>
  insert(accountId: string, invitation: Invitation & { nonceHash: string }): Promise<void>
  /** The link that was sent before is void. */
  renew(accountId: string, id: string, link: { nonceHash: string; expiresAt: number }): Promise<boolean>
  /** True for exactly one of several callers. */
  remove(accountId: string, id: string): Promise<boolean>
  removeByEmail(accountId: string, email: string): Promise<void>
  removeByAccount(accountId: string): Promise<void>
  removeExpired(before: number): Promise<number>
}

export interface EmailChange {
  accountId: string
  userId: string
  email: string
}

/** Addresses that users want to have and that nobody has confirmed yet. */
export interface EmailChanges {
  /** Instead of what the user asked for before. */
  put(accountId: string, change: { userId: string; email: string; nonceHash: string; expiresAt: number }): Promise<void>
  /** What waits under this nonce, for exactly one of several callers; undefined when unknown or expired. */
  take(nonceHash: string, now: number): Promise<EmailChange | undefined>
  removeByUser(accountId: string, userId: string): Promise<void>
  removeExpired(now: number): Promise<number>
}
