import type { Tables } from '../../../core/ports/store/index.ts'
import type { Db } from '../schema/index.ts'
import type { Dialect } from '../dialect.ts'
import { accounts } from './accounts.ts'
import { addresses } from './addresses.ts'
import { appEvents } from './app-events.ts'
import { attempts } from './attempts.ts'
import { audit } from './audit.ts'
import { balances } from './balances.ts'
import { carriers } from './carriers.ts'
import { contacts } from './contacts.ts'
import { deliveries } from './deliveries.ts'
import { devices } from './devices.ts'
import { extensions } from './extensions.ts'
import { faxes } from './faxes.ts'
import { faxlines } from './faxlines.ts'
import { flows } from './flows.ts'
import { groups } from './groups.ts'
import { history } from './history.ts'
import { idempotency } from './idempotency.ts'
import { jobs } from './jobs.ts'
import { lampWatches } from './lamp-watches.ts'
import { leases } from './leases.ts'
import { limits } from './limits.ts'
import { messages } from './messages.ts'
import { metrics } from './metrics.ts'
import { nodes } from './nodes.ts'
import { notifications } from './notifications.ts'
import { numbers } from './numbers.ts'
import { oauthClients } from './oauth-clients.ts'
import { oidcRecords } from './oidc-records.ts'
import { operators } from './operators.ts'
import { outbox } from './outbox.ts'
import { passwordResets } from './password-resets.ts'
import { phonelines } from './phonelines.ts'
import { portings } from './portings.ts'
import { programs } from './programs.ts'
import { pushExchanges } from './push-exchanges.ts'
import { pushSecrets } from './push-secrets.ts'
import { pushSettings } from './push-settings.ts'
import { recordings } from './recordings.ts'
import { runningCalls } from './running-calls.ts'
import { secondFactors } from './second-factors.ts'
import { sessions } from './sessions.ts'
import { settings } from './settings.ts'
import { signingKeys } from './signing-keys.ts'
import { sims } from './sims.ts'
import { smsLines } from './sms-lines.ts'
import { tariffs } from './tariffs.ts'
import { timelines } from './timelines.ts'
import { tokens } from './tokens.ts'
import { trunks } from './trunks.ts'
import { users } from './users.ts'
import { voicemails } from './voicemails.ts'

/** All tables over one connection or transaction. */
export const tables = (db: Db, dialect: Dialect): Tables => ({
  accounts: accounts(db, dialect),
  addresses: addresses(db, dialect),
  appEvents: appEvents(db),
  attempts: attempts(db, dialect),
  audit: audit(db, dialect),
  balances: balances(db, dialect),
  carriers: carriers(db),
  contacts: contacts(db),
  deliveries: deliveries(db, dialect),
  devices: devices(db, dialect),
  extensions: extensions(db),
  faxes: faxes(db, dialect),
  faxlines: faxlines(db),
  flows: flows(db),
  groups: groups(db),
  history: history(db),
  idempotency: idempotency(db),
  jobs: jobs(db, dialect),
  lampWatches: lampWatches(db),
  leases: leases(db, dialect),
  limits: limits(db),
  messages: messages(db, dialect),
  metrics: metrics(db),
  nodes: nodes(db),
  notifications: notifications(db),
  numbers: numbers(db, dialect),
  oauthClients: oauthClients(db),
  oidcRecords: oidcRecords(db, dialect),
  operators: operators(db),
  outbox: outbox(db, dialect),
  passwordResets: passwordResets(db),
  phonelines: phonelines(db),
  portings: portings(db, dialect),
  programs: programs(db, dialect),
  pushExchanges: pushExchanges(db),
  pushSecrets: pushSecrets(db),
  pushSettings: pushSettings(db),
  recordings: recordings(db),
  runningCalls: runningCalls(db),
  secondFactors: secondFactors(db),
  sessions: sessions(db),
  settings: settings(db),
  signingKeys: signingKeys(db),
  sims: sims(db, dialect),
  smsLines: smsLines(db),
  tariffs: tariffs(db, dialect),
  timelines: timelines(db, dialect),
  tokens: tokens(db),
  trunks: trunks(db),
  users: users(db, dialect),
  voicemails: voicemails(db),
})
