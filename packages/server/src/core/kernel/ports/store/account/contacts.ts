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

/** What was typed into a field of search. One of these is enough. */
export interface TypedSearch {
  /** Parts of a number, without plus. */
  digits: readonly string[]
  /** Parts of a name, as `folded` writes it. */
  names: readonly string[]
  /** As it was typed, if it is long enough for an index of words. */
  text?: string
}

/** Where a contact stands in the order of all. */
export interface ContactCursor {
  folded: string
  id: string
}

export interface ContactsInput {
  search?: TypedSearch
  after?: ContactCursor
  limit?: number
  /** From Z to A. */
  descending?: boolean
}

/** A number with one of its names. */
export interface NamedNumber {
  number: string
  name: string
  contactId: string | undefined
}

export interface Contacts {
  /** What this user may see: the own ones and the shared ones, by name. */
  listVisible(accountId: string, userId: string, input?: ContactsInput): Promise<(Contact & ContactCursor)[]>
  countVisible(accountId: string, userId: string, search?: TypedSearch): Promise<number>
  findVisible(accountId: string, userId: string, id: string): Promise<Contact | undefined>
  count(accountId: string): Promise<number>
  insert(accountId: string, contacts: readonly Contact[], at: number): Promise<void>
  update(accountId: string, contact: Contact): Promise<void>
  remove(accountId: string, id: string): Promise<void>
  /** The private ones of this user. */
  removePrivate(accountId: string, owner: string): Promise<void>
  /** Of contacts that this user sees, the own ones first, then of users, groups and flows that the account's numbers lead to. */
  findNames(accountId: string, userId: string | undefined, numbers: readonly string[]): Promise<NamedNumber[]>
  /** Users, then groups, with the active numbers that lead to them. */
  colleagues(accountId: string): Promise<Colleague[]>
}
