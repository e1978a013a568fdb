import type { UserRole } from '@offhook/contract/roles.ts'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { Static } from 'typebox'
import type { LeashRules as Rules } from '@offhook/contract/v1/authorization/leashes.ts'
import type { Locale } from '#core/kernel/translations/index.ts'

/** access and session: bearer token of a user; refresh: for a new pair; personal: Basic user name and password; operator: bearer token of the operator. */
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
  /** Login only: program and address, if known. */
  program?: string | undefined
  place?: string | undefined
  /** The originating login used a second factor. Default: false. */
  secondFactor?: boolean
}

/** Valid token with its holder. */
export interface ValidToken {
  id: string
  kind: TokenKind
  holder: { accountId: string; userId: string; role: UserRole; ownRoles?: OwnRole[] | undefined } | { operatorId: string }
  clientId: string | undefined
  grantId: string | undefined
  scopes: readonly Scope[]
  createdAt: number
  expiresAt: number | undefined
  /** Time of the last use, as far as recorded. */
  lastSeenAt: number | undefined
  /** Rules of its leash. */
  leash: LeashRules | undefined
  /** The originating login used a second factor. */
  secondFactor: boolean
  /** The account currently requires a second factor. */
  secondFactorDemanded: boolean
}

export interface PersonalToken {
  id: string
  name: string
  scopes: readonly Scope[]
  createdAt: number
  secondFactor: boolean
}

/** Login session of a user. */
interface LoginSession {
  id: string
  createdAt: number
  lastSeenAt: number
  program: string
  place: string
}

export interface Tokens {
  insert(token: NewToken): Promise<void>
  /** Undefined if unknown, expired, or its user or account is gone. */
  findValid(hash: string, now: number): Promise<ValidToken | undefined>
  /** Whether the user still has the token with this id. */
  has(accountId: string, userId: string, id: string): Promise<boolean>
  /** True for exactly one of several callers. */
  removeByHash(hash: string): Promise<boolean>
  /** Marks a refresh token as used; it stays stored, so that reuse is detected. True for exactly one of several callers. */
  spend(id: string, at: number): Promise<boolean>
  removeByGrant(grantId: string): Promise<void>
  removeByClient(clientId: string): Promise<void>
  /** All tokens of a user, including personal ones. */
  removeByUser(accountId: string, userId: string): Promise<void>
  /** Removes tokens from logins, but no personal ones; `keep` is the id of one that stays. */
  removeLogins(holder: NewToken['holder'], keep?: string): Promise<void>
  /** Marks the login as two-factor after its user set one up. */
  noteSecondFactor(id: string): Promise<void>
  /** Upgrades a login that was restricted to the setup of a second factor. */
  complete(id: string, to: { scopes: readonly Scope[]; expiresAt: number }): Promise<void>
  /** Current password logins, latest use first. */
  listSessions(accountId: string, userId: string, now: number): Promise<LoginSession[]>
  removeSession(accountId: string, userId: string, id: string): Promise<boolean>
  /** Removes all sessions of the user but this one. */
  removeOtherSessions(accountId: string, userId: string, keep: string): Promise<number>
  noteSeen(id: string, at: number): Promise<void>
  listPersonal(accountId: string, userId: string): Promise<PersonalToken[]>
  removePersonal(accountId: string, userId: string, id: string): Promise<boolean>
  removeExpired(now: number): Promise<number>
}

/** Limits of a leash. Missing limits do not apply. */
export type LeashRules = Static<typeof Rules>

export interface Leash {
  userId: string
  /** Id of the restricted personal token or OAuth client. */
  id: string
  holder: 'token' | 'client'
  rules: LeashRules
}

export interface Leashes {
  list(accountId: string, userId: string): Promise<Leash[]>
  find(accountId: string, userId: string, id: string): Promise<Leash | undefined>
  set(accountId: string, leash: Leash): Promise<void>
  /** False if there is none. */
  remove(accountId: string, userId: string, id: string): Promise<boolean>
  /** Removes it for the users of all accounts. */
  removeByClient(clientId: string): Promise<void>
  removeByUser(accountId: string, userId: string): Promise<void>
}

/** Groups, lines and assistants that a role concerns. */
export interface RoleScope {
  groups: readonly string[]
  lines: readonly string[]
  assistants: readonly string[]
}

/** A named set of permissions that an account defined. */
export interface OwnRole {
  id: string
  name: string
  permissions: readonly Restriction[]
  /** Undefined: not limited. */
  scope: RoleScope | undefined
}

export interface OwnRoles {
  /** By name. */
  list(accountId: string): Promise<OwnRole[]>
  insert(accountId: string, role: OwnRole, at: number): Promise<void>
  /** False if there is none. */
  update(accountId: string, role: OwnRole): Promise<boolean>
  remove(accountId: string, id: string): Promise<boolean>
  removeAll(accountId: string): Promise<void>
}

interface Totp {
  secretSealed: string
  /** The user has entered a code; it has no effect before. */
  confirmed: boolean
}

export interface Passkey {
  id: string
  /** Host name of its relying party; browsers use it nowhere else. */
  site: string
  credentialId: string
  /** COSE, base64url. */
  publicKey: string
  /** Signature counter, if the authenticator has one. */
  counter: number
  transports: readonly string[]
  name: string
  createdAt: number
  lastUsedAt: number | undefined
}

/** By token subject, which belongs to one user of one account, or to one operator. */
export interface SecondFactors {
  findTotp(subject: string): Promise<Totp | undefined>
  /** Replaces an unconfirmed one. */
  beginTotp(subject: string, secretSealed: string, at: number): Promise<void>
  /** False if there is none to confirm. Consumes the code with this counter. */
  confirmTotp(subject: string, counter: number, at: number): Promise<boolean>
  /** True for exactly one of several callers, and never again for this counter or an older one. */
  spendTotp(subject: string, counter: number): Promise<boolean>
  /** Replaces all earlier ones. */
  setRecoveryCodes(subject: string, hashes: readonly string[]): Promise<void>
  /** Unused codes. */
  countRecoveryCodes(subject: string): Promise<number>
  /** True for exactly one of several callers. */
  spendRecoveryCode(subject: string, hash: string, at: number): Promise<boolean>
  removeTotp(subject: string): Promise<boolean>
  listPasskeys(subject: string): Promise<Passkey[]>
  /** False if the credential is already registered. */
  insertPasskey(subject: string, passkey: Omit<Passkey, 'lastUsedAt'>): Promise<boolean>
  /** False if this counter or a later one has been used: the passkey was cloned. Zero means that the authenticator does not count. */
  notePasskeyUse(subject: string, id: string, use: { counter: number; at: number }): Promise<boolean>
  removePasskey(subject: string, id: string): Promise<boolean>
  /** True for exactly one of several callers. Removes expired ones. */
  spendChallenge(hash: string, at: number, expiresAt: number): Promise<boolean>
  /** False if there were none. */
  removeAll(subject: string): Promise<boolean>
}

/**
 * State of the identity provider: browser sessions, running logins, codes, grants, refresh tokens. Most ids grant access, so the id is
 * hashed and the content is sealed.
 */
interface OidcRecord {
  model: string
  idHash: string
  sealed: string
  grantId: string | undefined
  uid: string | undefined
  subject: string | undefined
  clientId: string | undefined
  expiresAt: number | undefined
}

export interface StoredOidcRecord {
  sealed: string
  consumedAt: number | undefined
}

/** One of several records of a user. */
export interface SubjectRecord extends StoredOidcRecord {
  idHash: string
}

export interface OidcRecords {
  /** Replaces a record with the same id. */
  put(record: OidcRecord): Promise<void>
  find(model: string, idHash: string, now: number): Promise<StoredOidcRecord | undefined>
  findByUid(model: string, uid: string, now: number): Promise<StoredOidcRecord | undefined>
  listBySubject(model: string, subject: string, now: number): Promise<SubjectRecord[]>
  /** Extends the expiry of a record. */
  extend(model: string, idHash: string, expiresAt: number): Promise<void>
  /** Removes all but the `count` latest of the records that expire by `expiresBy`. */
  keepNewest(model: string, count: number, expiresBy: number): Promise<void>
  /** True for exactly one of several callers. */
  consume(model: string, idHash: string, at: number): Promise<boolean>
  /** Returns whether it exists; if so, it cannot be removed until this transaction ends. */
  hold(model: string, idHash: string): Promise<boolean>
  remove(model: string, idHash: string): Promise<void>
  removeByGrant(grantId: string): Promise<void>
  /** Removes all records of a token subject, or only those of these models. */
  removeBySubject(subject: string, models?: readonly string[]): Promise<void>
  removeByClient(clientId: string): Promise<void>
  removeExpired(now: number): Promise<number>
}

export interface OauthClient {
  clientId: string
  userId: string
  name: string
  redirectUris: string[]
  secretHash: string
}

export interface OauthClients {
  list(accountId: string, userId: string): Promise<OauthClient[]>
  count(accountId: string): Promise<number>
  find(accountId: string, clientId: string): Promise<OauthClient | undefined>
  /** For the identity provider, which knows only the client id. Undefined if its user or account is gone. */
  findAnywhere(clientId: string): Promise<OauthClient | undefined>
  insert(accountId: string, client: OauthClient, at: number): Promise<void>
  update(accountId: string, clientId: string, change: Partial<Pick<OauthClient, 'name' | 'redirectUris' | 'secretHash'>>): Promise<void>
  remove(accountId: string, clientId: string): Promise<void>
}

/** Keys of the installation; the prefix of `kid` names the purpose. The private part is sealed by the vault. */
export interface SigningKey {
  kid: string
  jwkSealed: string
  createdAt: number
}

export interface SigningKeys {
  /** Newest first. */
  list(): Promise<SigningKey[]>
  /** Keeps the existing key if the kid is taken, so that all nodes use the same one. */
  insert(key: SigningKey): Promise<void>
}

export interface Invitation {
  id: string
  email: string
  firstname: string
  lastname: string
  role: UserRole
  /** Name of the phone line; empty: the user's name. */
  lineName: string
  locale: Locale
  /** Inviting user. */
  invitedBy: string
  createdAt: number
  expiresAt: number
}

export interface Invitations {
  /** Oldest first, including expired ones. */
  list(accountId: string): Promise<Invitation[]>
  find(accountId: string, id: string): Promise<Invitation | undefined>
  /** Undefined if unknown or expired. */
  findOpen(nonceHash: string, now: number): Promise<(Invitation & { accountId: string }) | undefined>
  insert(accountId: string, invitation: Invitation & { nonceHash: string }): Promise<void>
  /** Invalidates the previous link. */
  renew(accountId: string, id: string, link: { nonceHash: string; expiresAt: number }): Promise<boolean>
  /** True for exactly one of several callers. */
  remove(accountId: string, id: string): Promise<boolean>
  removeByEmail(accountId: string, email: string): Promise<void>
  removeByAccount(accountId: string): Promise<void>
  removeExpired(before: number): Promise<number>
}

interface EmailChange {
  accountId: string
  userId: string
  email: string
}

/** Requested e-mail addresses that are not yet confirmed. */
export interface EmailChanges {
  /** Replaces the user's earlier request. */
  put(accountId: string, change: { userId: string; email: string; nonceHash: string; expiresAt: number }): Promise<void>
  /** Returns and removes the request with this nonce, for exactly one of several callers; undefined if unknown or expired. */
  take(nonceHash: string, now: number): Promise<EmailChange | undefined>
  removeByUser(accountId: string, userId: string): Promise<void>
  removeExpired(now: number): Promise<number>
}

interface PasswordReset {
  accountId: string
  userId: string
}

export interface PasswordResets {
  insert(accountId: string, reset: { userId: string; nonceHash: string; createdAt: number; expiresAt: number }): Promise<void>
  /** Undefined if unknown, used or expired. */
  findOpen(nonceHash: string, now: number): Promise<PasswordReset | undefined>
  /** True for exactly one of several callers. */
  use(nonceHash: string, now: number): Promise<boolean>
  removeByUser(accountId: string, userId: string): Promise<void>
  removeExpired(now: number): Promise<number>
}

export interface AttemptLimit {
  bucket: string
  limit: number
  windowMs: number
}

/** Counts attempts of limited actions: logins, password resets. */
export interface Attempts {
  /** Counts one more attempt, or rejects it if the window is full and returns the time of the oldest one. Serialised per bucket. */
  take(limit: AttemptLimit, now: number): Promise<{ id: number } | { fullSince: number }>
  /** Uncounts successful attempts. */
  forgive(ids: readonly number[]): Promise<void>
  /** `except`: prefix of buckets to keep. */
  removeOlderThan(at: number, except?: string): Promise<number>
}
