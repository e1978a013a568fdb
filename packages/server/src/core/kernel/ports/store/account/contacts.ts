import type { StoredNumberType } from '../number/numbers.ts'

export interface Contact {
  id: string
  /** The user who made it. */
  owner: string
  /** Seen by all users of the account. */
  shared: boolean
  name: string
  emails: string[]
  numbers: string[]
}

/** A user or group as their colleagues find them. */
export interface Colleague {
  id: string
  name: string
  email: string | undefined
  numbers: ColleagueNumber[]
}

export interface ColleagueNumber {
  /** E.164, or the digits of a quick dial. */
  number: string
  type: StoredNumberType
  fax: boolean
}

/** A number with one of its names. */
export interface NamedNumber {
  number: string
  name: string
  contactId: string | undefined
}

export interface Contacts {
  /** What this user may see: the own ones and the shared ones, by name. */
  listVisible(accountId: string, userId: string): Promise<Contact[]>
  findVisible(accountId: string, userId: string, id: string): Promise<Contact | undefined>
  count(accountId: string): Promise<number>
  insert(accountId: string, contact: Contact, at: number): Promise<void>
  update(accountId: string, contact: Contact): Promise<void>
  remove(accountId: string, id: string): Promise<void>
  /** The private ones of this user. */
  removePrivate(accountId: string, owner: string): Promise<void>
  /** Of contacts that this user sees, the own ones first, then of users, groups and flows that the account's numbers lead to. */
  findNames(accountId: string, userId: string | undefined, numbers: readonly string[]): Promise<NamedNumber[]>
  /** Users, then groups, with the active numbers that lead to them. */
  colleagues(accountId: string): Promise<Colleague[]>
}
