import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Db } from '../schema/index.ts'
import type { Dialect } from '../schema/dialect.ts'
import { accounts, appEvents } from './account/accounts.ts'
import { addresses } from './number/addresses.ts'
import { assistants } from './assistant/assistants.ts'
import { attempts, secondFactors } from './identity/second-factors.ts'
import { audit } from './operate/audit.ts'
import { auditStreams } from './operate/audit-streams.ts'
import { balances } from './money/balances.ts'
import { bookings, calendars } from './calendar/calendars.ts'
import { callSearches } from './call/call-searches.ts'
import { carriers } from './number/carriers.ts'
import { contacts } from './account/contacts.ts'
import { dataExports, erasureRequests, retentions } from './account/privacy.ts'
import { deliveries } from './session/deliveries.ts'
import { devices } from './device/devices.ts'
import { dueTimes, jobs, outbox } from './work/queues.ts'
import { extensions } from './line/extensions.ts'
import { faxes } from './message/faxes.ts'
import { faxlines } from './line/faxlines.ts'
import { flowVersions, flows } from './assistant/flows.ts'
import { groups } from './line/groups.ts'
import { history } from './call/history.ts'
import { identityProviders } from './identity/identity-providers.ts'
import { idempotency } from './work/idempotency.ts'
import { emailChanges, invitations, passwordResets } from './identity/invitations.ts'
import { knowledge } from './assistant/knowledge.ts'
import { blfSubscriptions, pushSubscriptions } from './device/subscriptions.ts'
import { leases } from './work/leases.ts'
import { leashes, tokens } from './identity/tokens.ts'
import { ownRoles } from './identity/own-roles.ts'
import { limits } from './money/limits.ts'
import { messages } from './message/messages.ts'
import { metrics, nodes, operators, settings } from './operate/installation.ts'
import { notifications } from './line/notifications.ts'
import { numberStock } from './number/number-stock.ts'
import { numbers } from './number/numbers.ts'
import { oauthClients, oidcRecords, signingKeys } from './identity/oauth.ts'
import { providerDirectory } from './identity/provider-directory.ts'
import { partitions } from './operate/partitions.ts'
import { phonelines } from './line/phonelines.ts'
import { portingDocuments, portings } from './number/portings.ts'
import { programs } from './message/programs.ts'
import { pushExchanges, pushSecrets, pushSettings } from './push/push.ts'
import { recordingRules, recordings } from './call/recordings.ts'
import { results } from './session/results.ts'
import { routingRules, schedules } from './line/schedules.ts'
import { scenarios, testRuns } from './session/scenarios.ts'
import { runningCalls } from './call/running-calls.ts'
import { sessions } from './session/sessions.ts'
import { sims } from './number/sims.ts'
import { smsLines } from './line/sms-lines.ts'
import { statements, usages } from './money/usages.ts'
import { tariffs } from './money/tariffs.ts'
import { timelines } from './call/timelines.ts'
import { trunkHolders, trunks } from './operate/trunks.ts'
import { uploads } from './work/uploads.ts'
import { users } from './account/users.ts'
import { voicemails } from './line/voicemails.ts'

/** All tables over one connection or transaction. */
export const tables = (db: Db, dialect: Dialect): Tables => ({
  accounts: accounts(db, dialect),
  addresses: addresses(db, dialect),
  appEvents: appEvents(db),
  assistants: assistants(db),
  attempts: attempts(db, dialect),
  audit: audit(db, dialect),
  auditStreams: auditStreams(db),
  balances: balances(db, dialect),
  bookings: bookings(db),
  calendars: calendars(db, dialect),
  callSearches: callSearches(db),
  carriers: carriers(db),
  contacts: contacts(db),
  dataExports: dataExports(db),
  deliveries: deliveries(db, dialect),
  devices: devices(db, dialect),
  dueTimes: dueTimes(db),
  emailChanges: emailChanges(db),
  erasureRequests: erasureRequests(db),
  extensions: extensions(db),
  faxes: faxes(db, dialect),
  faxlines: faxlines(db),
  flowVersions: flowVersions(db),
  flows: flows(db),
  groups: groups(db),
  history: history(db),
  idempotency: idempotency(db),
  identityProviders: identityProviders(db),
  invitations: invitations(db),
  jobs: jobs(db, dialect),
  knowledge: knowledge(db, dialect),
  lampWatches: blfSubscriptions(db),
  leases: leases(db, dialect),
  leashes: leashes(db),
  limits: limits(db),
  messages: messages(db, dialect),
  metrics: metrics(db),
  nodes: nodes(db),
  notifications: notifications(db),
  numbers: numbers(db, dialect),
  numberStock: numberStock(db, dialect),
  oauthClients: oauthClients(db),
  oidcRecords: oidcRecords(db, dialect),
  operators: operators(db),
  ownRoles: ownRoles(db),
  outbox: outbox(db, dialect),
  partitions: partitions(db, dialect),
  passwordResets: passwordResets(db),
  phonelines: phonelines(db),
  portingDocuments: portingDocuments(db),
  portings: portings(db, dialect),
  programs: programs(db, dialect),
  providerDirectory: providerDirectory(db),
  pushExchanges: pushExchanges(db),
  pushSecrets: pushSecrets(db),
  pushSettings: pushSettings(db),
  pushSubscriptions: pushSubscriptions(db),
  recordingRules: recordingRules(db),
  recordings: recordings(db),
  results: results(db, dialect),
  retentions: retentions(db),
  routingRules: routingRules(db),
  scenarios: scenarios(db),
  schedules: schedules(db),
  runningCalls: runningCalls(db, dialect),
  secondFactors: secondFactors(db),
  sessions: sessions(db, dialect),
  settings: settings(db),
  signingKeys: signingKeys(db),
  sims: sims(db, dialect),
  smsLines: smsLines(db),
  statements: statements(db),
  tariffs: tariffs(db, dialect),
  testRuns: testRuns(db),
  timelines: timelines(db, dialect),
  tokens: tokens(db),
  trunkHolders: trunkHolders(db),
  trunks: trunks(db),
  uploads: uploads(db),
  usages: usages(db),
  users: users(db, dialect),
  voicemails: voicemails(db),
})
