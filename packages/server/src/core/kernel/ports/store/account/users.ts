import type { Locale } from '#core/kernel/translations/index.ts'

export interface User {
  id: string
  /** How the user is called in tokens: stable, says nothing about the account. */
  subject: string
  firstname: string
  lastname: string
  email: string
  admin: boolean
  defaultDevice: string | undefined
  busyOnBusy: boolean
  addressId: number | undefined
  timezone: string
  locale: Locale
}

export interface Credentials {
  accountId: string
  userId: string
  subject: string
  passwordHash: string
}

/** Users that were disabled are not found by any of these; their e-mail address may be used again. */
export interface Users {
  list(accountId: string): Promise<User[]>
  find(accountId: string, id: string): Promise<User | undefined>
  /** By e-mail address, in any spelling of upper and lower case, over all accounts. */
  findCredentials(email: string): Promise<Credentials | undefined>
  /** As they are now, and locked until this transaction ends: the password cannot be changed nor the user disabled before. */
  hold(accountId: string, id: string): Promise<Credentials | undefined>
  findBySubject(subject: string): Promise<{ accountId: string; userId: string } | undefined>
  /** False when the e-mail address is taken. The extension must exist. */
  insert(accountId: string, user: User & { passwordHash: string; createdAt: number }): Promise<boolean>
  update(accountId: string, id: string, change: Partial<Omit<User, 'id' | 'subject' | 'email'>>): Promise<boolean>
  setPassword(accountId: string, id: string, passwordHash: string): Promise<void>
  setDefaultDevice(accountId: string, id: string, device: string | undefined): Promise<void>
  /** No user points at this device as the default any more. */
  clearDefaultDevice(accountId: string, device: string): Promise<void>
  disable(accountId: string, id: string, at: number): Promise<boolean>
}
