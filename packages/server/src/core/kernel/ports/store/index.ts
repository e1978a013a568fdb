import type { Accounts, AppEvents, Contacts, DataExports, ErasureRequests, Retentions, Users } from './account.ts'
import type { Addresses, Carriers, NumberStock, Numbers, PortingDocuments, Portings, Sims } from './number.ts'
import type { Assistants, FlowVersions, Flows, Knowledge } from './assistant.ts'
import type {
  Attempts,
  EmailChanges,
  Invitations,
  Leashes,
  OauthClients,
  OidcRecords,
  OwnRoles,
  PasswordResets,
  SecondFactors,
  SigningKeys,
  Tokens,
} from './identity.ts'
import type { ProviderDirectory } from './provider-directory.ts'
import type { IdentityProviders } from './single-sign-on.ts'
import type { Audit, AuditStreams, Metrics, Nodes, Operators, Partitions, Settings, TrunkHolders, Trunks } from './operate.ts'
import type { Balances, Limits, Statements, Tariffs, Usages } from './money.ts'
import type { Bookings, Calendars } from './calendar.ts'
import type { CallSearches, History, RunningCalls, Timelines } from './call.ts'
import type { RecordingRules, Recordings } from './recording.ts'
import type { Deliveries, Results, Sessions, Scenarios, TestRuns } from './session.ts'
import type { Devices, BlfSubscriptions, PushSubscriptions } from './device.ts'
import type { DueTimes, Idempotency, Jobs, Leases, Outbox, Uploads } from './work.ts'
import type { Extensions, Faxlines, Groups, Notifications, Phonelines, RoutingRules, Schedules, SmsLines, Voicemails } from './line.ts'
import type { Faxes, Messages, Programs } from './message.ts'
import type { PushExchanges, PushSecrets, PushSettings } from './push.ts'

/** All stored tables. Each method that touches customer data takes the account first, so that no query can omit it. */
export interface Tables {
  accounts: Accounts
  addresses: Addresses
  appEvents: AppEvents
  assistants: Assistants
  attempts: Attempts
  audit: Audit
  auditStreams: AuditStreams
  balances: Balances
  bookings: Bookings
  calendars: Calendars
  callSearches: CallSearches
  carriers: Carriers
  contacts: Contacts
  dataExports: DataExports
  deliveries: Deliveries
  devices: Devices
  dueTimes: DueTimes
  emailChanges: EmailChanges
  erasureRequests: ErasureRequests
  extensions: Extensions
  faxes: Faxes
  faxlines: Faxlines
  flowVersions: FlowVersions
  flows: Flows
  groups: Groups
  history: History
  idempotency: Idempotency
  identityProviders: IdentityProviders
  invitations: Invitations
  jobs: Jobs
  knowledge: Knowledge
  lampWatches: BlfSubscriptions
  leases: Leases
  leashes: Leashes
  limits: Limits
  messages: Messages
  metrics: Metrics
  nodes: Nodes
  notifications: Notifications
  numbers: Numbers
  numberStock: NumberStock
  oauthClients: OauthClients
  oidcRecords: OidcRecords
  operators: Operators
  ownRoles: OwnRoles
  outbox: Outbox
  partitions: Partitions
  passwordResets: PasswordResets
  phonelines: Phonelines
  portingDocuments: PortingDocuments
  portings: Portings
  programs: Programs
  providerDirectory: ProviderDirectory
  pushExchanges: PushExchanges
  pushSecrets: PushSecrets
  pushSettings: PushSettings
  pushSubscriptions: PushSubscriptions
  recordingRules: RecordingRules
  recordings: Recordings
  results: Results
  retentions: Retentions
  routingRules: RoutingRules
  runningCalls: RunningCalls
  scenarios: Scenarios
  schedules: Schedules
  secondFactors: SecondFactors
  sessions: Sessions
  settings: Settings
  signingKeys: SigningKeys
  sims: Sims
  smsLines: SmsLines
  statements: Statements
  tariffs: Tariffs
  testRuns: TestRuns
  timelines: Timelines
  tokens: Tokens
  trunkHolders: TrunkHolders
  trunks: Trunks
  uploads: Uploads
  usages: Usages
  users: Users
  voicemails: Voicemails
}

export interface Store {
  /** Reads of committed data. */
  readonly read: Tables
  /**
   * Runs one atomic transaction; resolves when it is safely on disk. The work may be retried after a conflict, so it must only read and
   * write tables, and must not wait for anything slow: writers queue behind it. `patient`: not urgent, so it may be delayed briefly to
   * share a flush; if the signal aborts before it has begun, it is withdrawn, and the promise rejects with the signal's reason.
   */
  write<T>(work: (tables: Tables) => Promise<T>, patient?: AbortSignal): Promise<T>
  /** Undefined if the database is a local file, which cannot become unreachable. */
  readonly reach: StoreReach | undefined
  /** Undefined for a database server, which reads concurrently anyway. */
  readonly longReads: LongReads | undefined
  close(): Promise<void>
}

/** Reachability of a database server, possibly on another machine. */
export interface StoreReach {
  /** Milliseconds since it stopped answering; 0 while it answers, as far as is known. */
  readonly awayMs: number
  /** Whether it answers now. Cached if it answered a moment ago; takes at most two seconds. */
  answers(): Promise<boolean>
  /** Time of the database server. */
  now(): Promise<number>
  /** Connection capacity for all nodes; undefined behind a pooler. */
  readonly room: number | undefined
  /** Called when it becomes unreachable or reachable. Returns the function that stops watching. */
  watch(notifications: (away: boolean) => void): () => void
}

/** A unique constraint rejected the write; the transaction was rolled back. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super('a uniqueness rule of the database was violated', { cause })
    this.name = 'UniqueViolation'
  }
}

/** The database is unreachable. Pending work may or may not have been written. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown, message = 'the database does not answer') {
    super(message, { cause })
    this.name = 'StoreUnavailable'
  }
}

/** The database disk is full: reads work, and the transaction was not written. */
export class StoreFull extends StoreUnavailable {
  constructor(cause: unknown) {
    super(cause, 'the disk of the database is full')
    this.name = 'StoreFull'
  }
}

/** Part of a long list, as text. */
export interface TextSlice<I extends object> {
  text: string | Uint8Array
  /** Input for the next part; missing after the last one. */
  next?: I
}

/** Runs reads that would block the event loop, for a database in a local file. */
export interface LongReads {
  /** By the name of a function known to the worker. Input and result are copied. Fair between accounts. */
  read(accountId: string, name: string, input: object): Promise<unknown>
}

/** Event that could not be written because the database is unreachable. */
export interface JournalEntry {
  /** Selects the writer. */
  kind: string
  /** Id of the call or session, for the log. */
  id: string
  /** JSON. */
  payload: object
}

/** Part of a transaction. Must be idempotent: the same entry may come again. */
export type WriteEntry = (tables: Tables, payload: unknown) => Promise<void>

/** Stores entries on this machine until the database is reachable again. */
export interface Journal {
  /** Resolves when the entry survives a restart. False if there is no capacity for it, or it cannot be stored. */
  keep(entry: JournalEntry): Promise<boolean>
}

/** Lines in a file that survive the process. */
export interface JournalFile {
  lines(): Promise<string[]>
  /** Resolves when the lines are on disk. */
  append(lines: readonly string[]): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

/** Cache invalidation: cached rows may be stale and are dropped. Published to all nodes, including this one, after the commit. */
export interface Changes {
  /** `id`: the account, or the row for tables without accounts. */
  notify(table: keyof Tables, id: string): void
  on(table: keyof Tables, changed: (id: string) => void): () => void
  /** Called when notifications may have been missed during a bus outage: everything is dropped. */
  onDoubt(doubt: () => void): () => void
}
