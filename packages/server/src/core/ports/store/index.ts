import type { Accounts } from './accounts.ts'
import type { Addresses } from './addresses.ts'
import type { AppEvents } from './app-events.ts'
import type { Attempts } from './attempts.ts'
import type { Audit } from './audit.ts'
import type { Balances } from './balances.ts'
import type { Carriers } from './carriers.ts'
import type { Contacts } from './contacts.ts'
import type { Deliveries } from './deliveries.ts'
import type { Devices } from './devices.ts'
import type { Extensions } from './extensions.ts'
import type { Faxes } from './faxes.ts'
import type { Faxlines } from './faxlines.ts'
import type { Flows } from './flows.ts'
import type { Groups } from './groups.ts'
import type { History } from './history.ts'
import type { Idempotency } from './idempotency.ts'
import type { Jobs } from './jobs.ts'
import type { LampWatches } from './lamp-watches.ts'
import type { Leases } from './leases.ts'
import type { Limits } from './limits.ts'
import type { Messages } from './messages.ts'
import type { Metrics } from './metrics.ts'
import type { Nodes } from './nodes.ts'
import type { Notifications } from './notifications.ts'
import type { Numbers } from './numbers.ts'
import type { OauthClients } from './oauth-clients.ts'
import type { OidcRecords } from './oidc-records.ts'
import type { Operators } from './operators.ts'
import type { Outbox } from './outbox.ts'
import type { PasswordResets } from './password-resets.ts'
import type { Phonelines } from './phonelines.ts'
import type { Portings } from './portings.ts'
import type { Programs } from './programs.ts'
import type { PushExchanges } from './push-exchanges.ts'
import type { PushSecrets } from './push-secrets.ts'
import type { PushSettings } from './push-settings.ts'
import type { Recordings } from './recordings.ts'
import type { RunningCalls } from './running-calls.ts'
import type { Sessions } from './sessions.ts'
import type { SecondFactors } from './second-factors.ts'
import type { Settings } from './settings.ts'
import type { SigningKeys } from './signing-keys.ts'
import type { Sims } from './sims.ts'
import type { SmsLines } from './sms-lines.ts'
import type { Tariffs } from './tariffs.ts'
import type { Timelines } from './timelines.ts'
import type { Tokens } from './tokens.ts'
import type { Trunks } from './trunks.ts'
import type { Users } from './users.ts'
import type { Voicemails } from './voicemails.ts'

/** Everything that is kept. Each method that touches a customer's data takes the account first, so that no query can forget it. */
export interface Tables {
  accounts: Accounts
  addresses: Addresses
  appEvents: AppEvents
  attempts: Attempts
  audit: Audit
  balances: Balances
  carriers: Carriers
  contacts: Contacts
  deliveries: Deliveries
  devices: Devices
  extensions: Extensions
  faxes: Faxes
  faxlines: Faxlines
  flows: Flows
  groups: Groups
  history: History
  idempotency: Idempotency
  jobs: Jobs
  lampWatches: LampWatches
  leases: Leases
  limits: Limits
  messages: Messages
  metrics: Metrics
  nodes: Nodes
  notifications: Notifications
  numbers: Numbers
  oauthClients: OauthClients
  oidcRecords: OidcRecords
  operators: Operators
  outbox: Outbox
  passwordResets: PasswordResets
  phonelines: Phonelines
  portings: Portings
  programs: Programs
  pushExchanges: PushExchanges
  pushSecrets: PushSecrets
  pushSettings: PushSettings
  recordings: Recordings
  runningCalls: RunningCalls
  secondFactors: SecondFactors
  sessions: Sessions
  settings: Settings
  signingKeys: SigningKeys
  sims: Sims
  smsLines: SmsLines
  tariffs: Tariffs
  timelines: Timelines
  tokens: Tokens
  trunks: Trunks
  users: Users
  voicemails: Voicemails
}

export interface Store {
  /** Reads of what is committed. */
  readonly read: Tables
  /**
   * One transaction: all of it or nothing; resolves when it is safely on disk. The work may run again after a lost race, so it must not
   * do anything but read and write tables, and it must not wait for anything slow: writers queue behind it.
   */
  write<T>(work: (tables: Tables) => Promise<T>): Promise<T>
  close(): Promise<void>
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
