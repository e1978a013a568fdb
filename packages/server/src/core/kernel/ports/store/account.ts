import type { features } from '@offhook/contract/operator/accounts.ts'
import type { UserRole } from '@offhook/contract/roles.ts'
import type { erasureStates, exportStates, SubjectType } from '@offhook/contract/data-subject.ts'
import type { RetentionKind } from '@offhook/contract/v1/settings/retention.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import type { StoredNumberType } from './number.ts'

export type Feature = (typeof features)[number]

export interface Account {
  id: string
  company: string
  mainProductType: string
  logoUrl: string
  verified: boolean
  domain: string
  locale: Locale
  country: string
  tariffId: string | undefined
  tacsAccepted: boolean
  welcomeEnabled: boolean
  outboundEnabled: boolean
  /** Requires a second factor at login. */
  secondFactor: boolean
  createdAt: number
}

type NewAccount = Omit<Account, 'verified' | 'tacsAccepted' | 'outboundEnabled' | 'secondFactor'> & {
  verificationCodeHash: string | undefined
}

export interface OutboundReview {
  enabled: boolean
  reviewer: string
  reason: string
  at: number
}

interface AccountPage {
  after: string
  limit: number
  offset?: number
  /** Part of the company name, case-insensitive, or a prefix of the id. */
  search?: string
  ids?: readonly string[] | undefined
}

/** All methods exclude closed accounts. */
export interface Accounts {
  find(accountId: string): Promise<Account | undefined>
  list(page: AccountPage): Promise<Account[]>
  /** Locks the account until this transaction ends. */
  lock(accountId: string): Promise<void>
  /** False if the id is taken. */
  insert(account: NewAccount): Promise<boolean>
  update(
    accountId: string,
    change: Partial<Pick<Account, 'company' | 'mainProductType' | 'logoUrl' | 'locale' | 'tariffId' | 'welcomeEnabled'>>,
  ): Promise<boolean>
  /** True if an unverified account has this code; verifies the account and consumes the code. */
  verify(accountId: string, codeHash: string): Promise<boolean>
  setVerificationCode(accountId: string, codeHash: string): Promise<void>
  setTacsAccepted(accountId: string, at: number | undefined): Promise<void>
  setSecondFactor(accountId: string, demanded: boolean): Promise<void>
  close(accountId: string, at: number): Promise<boolean>
  features(accountId: string): Promise<Feature[]>
  bookFeature(accountId: string, feature: Feature, at: number): Promise<void>
  cancelFeature(accountId: string, feature: Feature): Promise<void>
  /** Enables or disables outbound calls and records the reviewer and reason. */
  reviewOutbound(accountId: string, review: OutboundReview): Promise<void>
  outboundReviews(accountId: string): Promise<OutboundReview[]>
}

export interface User {
  id: string
  /** Stable subject in tokens; reveals nothing about the account. */
  subject: string
  firstname: string
  lastname: string
  email: string
  /** True only for the role ADMIN. */
  admin: boolean
  role: UserRole
  /** Own roles of the account; with any, they replace the permissions of `role`. */
  roleIds?: readonly string[]
  /** False for a user on leave or gone: no login, and no phone rings. */
  active: boolean
  defaultDevice: string | undefined
  busyOnBusy: boolean
  addressId: number | undefined
  timezone: string
  locale: Locale
  /** Chosen by the user; otherwise the account's initial locale. */
  localeChosen: boolean
}

export interface Credentials {
  accountId: string
  userId: string
  subject: string
  passwordHash: string
}

/**
 * All methods exclude disabled users, whose e-mail addresses may be reused. Inactive users appear in lists of people, but not in login
 * lookups.
 */
export interface Users {
  list(accountId: string): Promise<User[]>
  find(accountId: string, id: string): Promise<User | undefined>
  /** By e-mail address, case-insensitive, across accounts. */
  findCredentials(email: string): Promise<Credentials | undefined>
  /** Current credentials, locked until this transaction ends: neither the password nor the user can change before. */
  hold(accountId: string, id: string): Promise<Credentials | undefined>
  findBySubject(subject: string): Promise<{ accountId: string; userId: string } | undefined>
  /** False if the e-mail address is taken. The extension must exist. */
  insert(
    accountId: string,
    user: Omit<User, 'admin' | 'active' | 'localeChosen'> & { passwordHash: string; createdAt: number },
  ): Promise<boolean>
  update(
    accountId: string,
    id: string,
    change: Partial<Omit<User, 'id' | 'subject' | 'email' | 'admin' | 'active' | 'localeChosen'>>,
  ): Promise<boolean>
  /** Whether any account uses the address. */
  isTaken(email: string): Promise<boolean>
  /** False if the address is taken. */
  setEmail(accountId: string, id: string, email: string): Promise<boolean>
  /** Undefined reactivates the user. */
  setInactive(accountId: string, id: string, since: number | undefined): Promise<void>
  setPassword(accountId: string, id: string, passwordHash: string): Promise<void>
  setDefaultDevice(accountId: string, id: string, device: string | undefined): Promise<void>
  /** Removes the device as default of any user. */
  clearDefaultDevice(accountId: string, device: string): Promise<void>
  disable(accountId: string, id: string, at: number): Promise<boolean>
}

export interface Contact {
  id: string
  /** User who created it. */
  owner: string
  /** Visible to all users of the account. */
  shared: boolean
  name: string
  emails: string[]
  numbers: string[]
}

/** User or group in the colleague directory. */
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

/** Search input; one match is sufficient. */
export interface TypedSearch {
  /** Parts of a number, without plus. */
  digits: readonly string[]
  /** Parts of a name, as normalised by `folded`. */
  names: readonly string[]
  /** As typed, if long enough for the full-text index. */
  text?: string
}

/** Position in the sort order. */
export interface ContactCursor {
  folded: string
  id: string
}

export interface ContactsRequest {
  search?: TypedSearch
  after?: ContactCursor
  limit?: number
  /** Only with a limit. */
  offset?: number
  /** From Z to A. */
  descending?: boolean
}

/** Number with one of its names. */
interface NamedNumber {
  number: string
  name: string
  contactId: string | undefined
}

export interface Contacts {
  /** Contacts visible to this user: own and shared ones, by name. */
  listVisible(accountId: string, userId: string, input?: ContactsRequest): Promise<(Contact & ContactCursor)[]>
  countVisible(accountId: string, userId: string, search?: TypedSearch): Promise<number>
  /** Maximum count of numbers and addresses per visible contact; at least one. */
  widths(accountId: string, userId: string): Promise<{ numbers: number; emails: number }>
  findVisible(accountId: string, userId: string, id: string): Promise<Contact | undefined>
  /** Regardless of visibility. */
  find(accountId: string, id: string): Promise<Contact | undefined>
  count(accountId: string): Promise<number>
  insert(accountId: string, contacts: readonly Contact[], at: number): Promise<void>
  update(accountId: string, contact: Contact): Promise<void>
  remove(accountId: string, id: string): Promise<void>
  /** Private contacts of this user. */
  removePrivate(accountId: string, owner: string): Promise<void>
  /** Names from visible contacts, own ones first, then from users, groups and flows that the account's numbers are routed to. */
  findNames(accountId: string, userId: string | undefined, numbers: readonly string[]): Promise<NamedNumber[]>
  /** Users, then groups, with their active numbers. */
  colleagues(accountId: string): Promise<Colleague[]>
}

type ExportState = (typeof exportStates)[number]
type ErasureState = (typeof erasureStates)[number]

/** Common to exports and erasures. Ids increase with time. */
interface StoredRequest {
  id: string
  accountId: string
  subjectType: SubjectType
  /** Keyed hash of the subject. */
  reference: string
  /** Empty after the erasure. */
  subjectSealed: string
  /** Actor id of a user or operator. */
  requestedBy: string
  requestedAt: number
}

export interface ArchiveFacts {
  bytes: number
  /** Database rows. */
  rows: number
  files: number
}

export interface StoredExport extends StoredRequest {
  state: ExportState
  expiresAt: number
  readyAt: number | undefined
  /** Undefined until READY. */
  archive: ArchiveFacts | undefined
}

/** As in `ErasureReport`. */
interface ErasureCounts {
  deletedRows: number
  pseudonymizedRows: number
  deletedFiles: number
}

export interface StoredErasure extends StoredRequest {
  state: ErasureState
  /** End of the grace period. */
  dueAt: number
  endedAt: number | undefined
  /** Error code, for FAILED. */
  failure: string | undefined
  /** Undefined until DONE. */
  report: ErasureCounts | undefined
}

/** Newest first. Undefined: all accounts, any requester. */
export interface RequestPage {
  accountId: string | undefined
  requestedBy?: string
  /** Id of the last item of the previous page. */
  after: string | undefined
  limit: number
  offset?: number
}

export interface DataExports {
  insert(accountId: string, request: Omit<StoredExport, 'accountId' | 'readyAt' | 'archive'>): Promise<void>
  find(accountId: string, id: string): Promise<StoredExport | undefined>
  /** For the operator, across accounts. */
  findAnywhere(id: string): Promise<StoredExport | undefined>
  page(page: RequestPage): Promise<StoredExport[]>
  count(accountId: string, requestedBy?: string): Promise<number>
  isBuilding(accountId: string): Promise<boolean>
  setState(accountId: string, id: string, state: ExportState): Promise<void>
  /** False if it was removed since. */
  setReady(accountId: string, id: string, archive: ArchiveFacts, at: number): Promise<boolean>
  /** Expired exports, oldest first. */
  listExpired(at: number, limit: number): Promise<Pick<StoredExport, 'accountId' | 'id'>[]>
  remove(accountId: string, id: string): Promise<boolean>
}

interface ErasureEnd {
  state: 'DONE' | 'FAILED' | 'CANCELLED'
  at: number
  failure?: string
  report?: ErasureCounts
}

export interface ErasureRequests {
  insert(accountId: string, request: Omit<StoredErasure, 'accountId' | 'endedAt' | 'failure' | 'report'>): Promise<void>
  find(accountId: string, id: string): Promise<StoredErasure | undefined>
  /** For the operator, across accounts. */
  findAnywhere(id: string): Promise<StoredErasure | undefined>
  page(page: RequestPage): Promise<StoredErasure[]>
  /** An erasure of this subject is scheduled or running. */
  isOpen(accountId: string, reference: string): Promise<boolean>
  /** An erasure of any subject of the account is running. */
  isRunning(accountId: string): Promise<boolean>
  setRunning(accountId: string, id: string): Promise<void>
  /** Removes the subject, unless FAILED. When DONE, earlier requests of the subject lose it too. */
  end(erasure: Pick<StoredErasure, 'accountId' | 'id' | 'reference' | 'subjectType'>, end: ErasureEnd): Promise<void>
}

/** Days chosen by the account; a missing kind uses the operator's retention. */
type RetentionDays = Readonly<Partial<Record<RetentionKind, number>>>

export interface Retentions {
  find(accountId: string): Promise<RetentionDays>
  /** Replaces the settings; the sweep restarts from the beginning. */
  set(accountId: string, days: RetentionDays): Promise<void>
  /** Older data has already been swept; 0 initially. */
  sweptTo(accountId: string, kind: RetentionKind): Promise<number>
  noteSwept(accountId: string, kind: RetentionKind, to: number): Promise<void>
  /** Accounts with own limits, by id, after this one. */
  listAccounts(after: string, limit: number): Promise<string[]>
  remove(accountId: string): Promise<void>
}

export interface AppEvent {
  id: number
  type: string
  name: string
  payload: Record<string, string>
}

/** Notices for the account's users, shown until dismissed. */
export interface AppEvents {
  list(accountId: string): Promise<AppEvent[]>
  insert(accountId: string, event: Omit<AppEvent, 'id'>, at: number): Promise<void>
  remove(accountId: string, id: number): Promise<boolean>
}
