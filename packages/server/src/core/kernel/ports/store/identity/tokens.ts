import type { UserRole } from '@offhook/contract/roles.ts'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { LeashRules } from './leashes.ts'

/** access and session: bearer of a user; refresh: for a new pair; personal: user name and password of Basic; operator: bearer of the operator. */
export type TokenKind = 'access' | 'refresh' | 'session' | 'personal' | 'operator'

export interface NewToken {
  id: string
  hash: string
  kind: TokenKind
  holder: { accountId: string; userId: string } | { operatorId: string }
  clientId?: string
  /** Tokens of one OAuth grant are revoked together. */
  grantId?: string
  name?: string
  scopes: readonly Scope[]
  createdAt: number
  expiresAt?: number
  /** Of a login: the program and where it was, as far as known. */
  program?: string | undefined
  place?: string | undefined
}

/** A token that is valid now, with who it stands for. */
export interface ValidToken {
  id: string
  kind: TokenKind
  holder: { accountId: string; userId: string; role: UserRole } | { operatorId: string }
  clientId: string | undefined
  grantId: string | undefined
  scopes: readonly Scope[]
  createdAt: number
  expiresAt: number | undefined
  /** When it was last used, as far as that is written down. */
  lastSeenAt: number | undefined
  /** Of the leash that holds it. */
  leash: LeashRules | undefined
}

export interface PersonalToken {
  id: string
  name: string
  scopes: readonly Scope[]
  createdAt: number
}

/** Where a user is logged in. */
export interface LoginSession {
  id: string
  createdAt: number
  lastSeenAt: number
  program: string
  place: string
}

export interface Tokens {
  insert(token: NewToken): Promise<void>
  /** Undefined when unknown, expired, or its user or account is gone. */
  findValid(hash: string, now: number): Promise<ValidToken | undefined>
  /** Whether the user still has the token with this id. */
  has(accountId: string, userId: string, id: string): Promise<boolean>
  /** True for exactly one of several callers. */
  removeByHash(hash: string): Promise<boolean>
  /** Marks a refresh token as used; it stays known, so that a second use is noticed. True for exactly one of several callers. */
  spend(id: string, at: number): Promise<boolean>
  removeByGrant(grantId: string): Promise<void>
  removeByClient(clientId: string): Promise<void>
  /** Every token of a user, personal ones included. */
  removeByUser(accountId: string, userId: string): Promise<void>
  /** What came from logging in, personal ones excluded; `keep` is the id of one that stays. */
  removeLogins(holder: NewToken['holder'], keep?: string): Promise<void>
  /** The login that was allowed to do nothing but set up a second factor has done so. */
  complete(id: string, to: { scopes: readonly Scope[]; expiresAt: number }): Promise<void>
  /** Logins with a password that go on, the last used first. */
  listSessions(accountId: string, userId: string, now: number): Promise<LoginSession[]>
  removeSession(accountId: string, userId: string, id: string): Promise<boolean>
  /** Sessions of the user but this one. */
  removeOtherSessions(accountId: string, userId: string, keep: string): Promise<number>
  noteSeen(id: string, at: number): Promise<void>
  listPersonal(accountId: string, userId: string): Promise<PersonalToken[]>
  removePersonal(accountId: string, userId: string, id: string): Promise<boolean>
  removeExpired(now: number): Promise<number>
}
