import type { Accounts } from './account/accounts.ts'
import type { Addresses } from './number/addresses.ts'
import type { AppEvents } from './account/app-events.ts'
import type { Assistants } from './assistant/assistants.ts'
import type { Attempts } from './identity/attempts.ts'
import type { Audit } from './operate/audit.ts'
import type { Balances } from './money/balances.ts'
import type { CallSearches } from './call/call-search.ts'
import type { Carriers } from './number/carriers.ts'
import type { Contacts } from './account/contacts.ts'
import type { Deliveries } from './assistant/deliveries.ts'
import type { Devices } from './device/devices.ts'
import type { DueTimes } from './work/due-queue.ts'
import type { Extensions } from './line/extensions.ts'
import type { Faxes } from './message/faxes.ts'
import type { Faxlines } from './line/faxlines.ts'
import type { FlowVersions } from './assistant/flow-versions.ts'
import type { Flows } from './assistant/flows.ts'
import type { Groups } from './line/groups.ts'
import type { History } from './call/history.ts'
import type { Idempotency } from './work/idempotency.ts'
import type { EmailChanges, Invitations } from './identity/invitations.ts'
import type { Jobs } from './work/jobs.ts'
import type { Knowledge } from './assistant/knowledge.ts'
import type { BlfSubscriptions } from './device/lamp-watches.ts'
import type { Leases } from './work/leases.ts'
import type { Leashes } from './identity/leashes.ts'
import type { Limits } from './money/limits.ts'
import type { Messages } from './message/messages.ts'
import type { Metrics } from './operate/metrics.ts'
import type { Nodes } from './operate/nodes.ts'
import type { Notifications } from './line/notifications.ts'
import type { NumberStock } from './number/number-stock.ts'
import type { Numbers } from './number/numbers.ts'
import type { OauthClients } from './identity/oauth-clients.ts'
import type { OidcRecords } from './identity/oidc-records.ts'
import type { Operators } from './operate/operators.ts'
import type { Outbox } from './work/outbox.ts'
import type { Partitions } from './operate/partitions.ts'
import type { PasswordResets } from './identity/password-resets.ts'
import type { Phonelines } from './line/phonelines.ts'
import type { PortingDocuments } from './number/porting-documents.ts'
import type { Portings } from './number/portings.ts'
import type { Programs } from './message/programs.ts'
import type { PushExchanges } from './push/push-exchanges.ts'
import type { PushSecrets } from './push/push-secrets.ts'
import type { PushSettings } from './push/push-settings.ts'
import type { PushSubscriptions } from './device/push-subscriptions.ts'
import type { Recordings } from './call/recordings.ts'
import type { Results } from './assistant/results.ts'
import type { RunningCalls } from './call/running-calls.ts'
import type { Sessions } from './assistant/sessions.ts'
import type { RoutingRules, Schedules } from './line/schedules.ts'
import type { Scenarios, TestRuns } from './assistant/scenarios.ts'
import type { SecondFactors } from './identity/second-factors.ts'
import type { Settings } from './operate/settings.ts'
import type { SigningKeys } from './identity/signing-keys.ts'
import type { Sims } from './number/sims.ts'
import type { SmsLines } from './line/sms-lines.ts'
import type { Statements } from './money/statements.ts'
import type { Tariffs } from './money/tariffs.ts'
import type { Timelines } from './call/timelines.ts'
import type { Tokens } from './identity/tokens.ts'
import type { TrunkHolders } from './operate/trunk-holders.ts'
import type { Trunks } from './operate/trunks.ts'
import type { Uploads } from './work/uploads.ts'
import type { Usages } from './money/usage.ts'
import type { Users } from './account/users.ts'
import type { Voicemails } from './line/voicemails.ts'

/** Everything that is kept. Each method that touches a customer's data takes the account first, so that no query can forget it. */
export interface Tables {
  accounts: Accounts
  addresses: Addresses
  appEvents: AppEvents
  assistants: Assistants
  attempts: Attempts
  audit: Audit
  balances: Balances
  callSearches: CallSearches
  carriers: Carriers
  contacts: Contacts
  deliveries: Deliveries
  devices: Devices
  dueTimes: DueTimes
  emailChanges: EmailChanges
  extensions: Extensions
  faxes: Faxes
  faxlines: Faxlines
  flowVersions: FlowVersions
  flows: Flows
  groups: Groups
  history: History
  idempotency: Idempotency
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
  outbox: Outbox
  partitions: Partitions
  passwordResets: PasswordResets
  phonelines: Phonelines
  portingDocuments: PortingDocuments
  portings: Portings
  programs: Programs
  pushExchanges: PushExchanges
  pushSecrets: PushSecrets
  pushSettings: PushSettings
  pushSubscriptions: PushSubscriptions
  recordings: Recordings
  results: Results
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
  /** Reads of what is committed. */
  readonly read: Tables
  /**
   * One transaction: all of it or nothing; resolves when it is safely on disk. The work may run again after a lost race, so it must not
   * do anything but read and write tables, and it must not wait for anything slow: writers queue behind it.
   * `patient`: nobody waits for it, so it may be put off for a moment to share the flush of others; when the signal aborts before it has
   * begun, it is withdrawn, and the promise rejects with the signal's reason.
   */
  write<T>(work: (tables: Tables) => Promise<T>, patient?: AbortSignal): Promise<T>
  /** Undefined where the database is a file of this process, which cannot be away. */
  readonly reach: StoreReach | undefined
  close(): Promise<void>
}

/** Whether a database that is another program, perhaps on another machine, answers. */
export interface StoreReach {
  /** For how long it has not answered; 0 while it does, as far as is known. */
  readonly awayMs: number
  /** Whether it answers now. Known without asking when it answered a moment ago; never takes longer than two seconds. */
  answers(): Promise<boolean>
  /** What time it is there. */
  now(): Promise<number>
  /** For how many connections of all processes there is room; unknown where a pooler in between sees to that. */
  readonly room: number | undefined
  /** Told when it is away, and when it is back. Returns how to stop that. */
  watch(notifications: (away: boolean) => void): () => void
}

/** A uniqueness rule of the database refused the write; nothing of the transaction remains. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super('a uniqueness rule of the database was violated', { cause })
    this.name = 'UniqueViolation'
  }
}

/** The database cannot be asked at the moment. What was under way may or may not have been written. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown, message = 'the database does not answer') {
    super(message, { cause })
    this.name = 'StoreUnavailable'
  }
}

/** The disk of the database is full: what is there can be read, and nothing of the transaction was written. */
export class StoreFull extends StoreUnavailable {
  constructor(cause: unknown) {
    super(cause, 'the disk of the database is full')
    this.name = 'StoreFull'
  }
}
