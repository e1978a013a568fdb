import type { UserRole } from '@offhook/contract/roles.ts'
import type { Locale } from '#core/kernel/translations/index.ts'

export interface User {
  id: string
  /** How the user is called in tokens: stable, says nothing about the account. */
  subject: string
  firstname: string
  lastname: string
  email: string
  /** True of the role ADMIN and of no other. */
  admin: boolean
  role: UserRole
  /** Who has left for a while or for good: nobody logs in, and nothing rings. */
  active: boolean
  defaultDevice: string | undefined
  busyOnBusy: boolean
  addressId: number | undefined
  timezone: string
  locale: Locale
  /** The user chose it; else it is the one that the account began with. */
  localeChosen: boolean
}

export interface Credentials {
  accountId: string
  userId: string
  subject: string
  passwordHash: string
}

/**
 * Users that were disabled are not found by any of these; their e-mail address may be used again. Those who are not active are found where
 * people are listed, and nowhere where somebody logs in.
 */
export interface Users {
  list(accountId: string): Promise<User[]>
  find(accountId: string, id: string): Promise<User | undefined>
  /** By e-mail address, in any spelling of upper and lower case, over all accounts. */
  findCredentials(email: string): Promise<Credentials | undefined>
  /** As they are now, and locked until this transaction ends: the password cannot be changed nor the user disabled before. */
  hold(accountId: string, id: string): Promise<Credentials | undefined>
  findBySubject(subject: string): Promise<{ accountId: string; userId: string } | undefined>
  /** False when the e-mail address is taken. The extension must exist. */
  insert(
    accountId: string,
    user: Omit<User, 'admin' | 'active' | 'localeChosen'> & { passwordHash: string; createdAt: number },
  ): Promise<boolean>
  update(
    accountId: string,
    id: string,
    change: Partial<Omit<User, 'id' | 'subject' | 'email' | 'admin' | 'active' | 'localeChosen'>>,
  ): Promise<boolean>
  /** Whether the address is somebody’s, in any account. */
  isTaken(email: string): Promise<boolean>
  /** False when the address is taken. */
  setEmail(accountId: string, id: string, email: string): Promise<boolean>
  /** Undefined: active again. */
  setInactive(accountId: string, id: string, since: number | undefined): Promise<void>
  setPassword(accountId: string, id: string, passwordHash: string): Promise<void>
  setDefaultDevice(accountId: string, id: string, device: string | undefined): Promise<void>
  /** No user points at this device as the default any more. */
  clearDefaultDevice(accountId: string, device: string): Promise<void>
  disable(accountId: string, id: string, at: number): Promise<boolean>
}
