import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { Dialect } from './schema/dialect.ts'
import { foundation } from './migrations/first-release/0001-foundation.ts'
import { assistant } from './migrations/first-release/0002-assistant.ts'
import { liveCalls } from './migrations/first-release/0003-live-calls.ts'
import { messages } from './migrations/first-release/0004-messages.ts'
import { console } from './migrations/first-release/0005-console.ts'
import { heard } from './migrations/first-release/0006-heard.ts'
import { lamps } from './migrations/first-release/0007-lamps.ts'
import { secondFactor } from './migrations/first-release/0008-second-factor.ts'
import { limits } from './migrations/first-release/0009-limits.ts'
import { passkeys } from './migrations/first-release/0010-passkeys.ts'
import { epochs } from './migrations/0011-epochs.ts'
import { edge } from './migrations/0012-edge.ts'
import { costs } from './migrations/0013-costs.ts'
import { trunkHolders } from './migrations/0014-trunk-holders.ts'
import { fileUploads } from './migrations/0015-file-uploads.ts'
import { releases } from './migrations/0016-releases.ts'
import { assistants } from './migrations/0017-assistants.ts'
import { results } from './migrations/0018-results.ts'
import { knowledge } from './migrations/0019-knowledge.ts'
import { leashes } from './migrations/0020-leashes.ts'
import { scenarios } from './migrations/0021-scenarios.ts'
import { names } from './migrations/0022-names.ts'
import { officeHours } from './migrations/0023-office-hours.ts'
import { browserPhones } from './migrations/0026-browser-phones.ts'
import { flowChanges } from './migrations/0027-flow-changes.ts'
import { numberStock } from './migrations/0028-number-stock.ts'
import { people } from './migrations/0024-people.ts'
import { statements } from './migrations/0025-statements.ts'
import { callsOfAll } from './migrations/0029-calls-of-all.ts'
import { portingDocuments } from './migrations/0030-porting-documents.ts'
import { lostAttempts } from './migrations/limits-and-privacy/0031-lost-attempts.ts'
import { provenTokens } from './migrations/limits-and-privacy/0033-proven-tokens.ts'
import { erasures } from './migrations/limits-and-privacy/0037-erasures.ts'
import { retention } from './migrations/limits-and-privacy/0038-retention.ts'
import { notificationFormat } from './migrations/limits-and-privacy/0055-notification-format.ts'
import { recordingParts } from './migrations/cluster/0056-recording-parts.ts'
import { edgeCalls } from './migrations/cluster/0057-edge-calls.ts'
import { leaseDoubt } from './migrations/cluster/0058-lease-doubt.ts'
import { variables } from './migrations/assistants/0071-variables.ts'
import { recordingRules } from './migrations/limits-and-privacy/0039-recording-rules.ts'
import { privacy } from './migrations/limits-and-privacy/0040-privacy.ts'
import { auditStreams } from './migrations/access/0052-audit-streams.ts'
import { ownRoles } from './migrations/access/0051-roles.ts'
import { singleSignOn } from './migrations/limits-and-privacy/0053-single-sign-on.ts'
import { calendars } from './migrations/calendars/0070-calendars.ts'
import { expand, type SchemaChange, changesMade, noteRelease, refuseTooNew, releaseOf } from './schema-release.ts'
import type { Schema } from './schema/index.ts'

/** Every schema change, oldest first, with its release. A released migration is never edited; the next one corrects it. */
export const migrations: Record<string, SchemaChange> = {
  '0001-foundation': expand(1, foundation),
  '0002-assistant': expand(1, assistant),
  '0003-live-calls': expand(1, liveCalls),
  '0004-messages': expand(1, messages),
  '0005-console': expand(1, console),
  '0006-heard': expand(1, heard),
  '0007-lamps': expand(1, lamps),
  '0008-second-factor': expand(1, secondFactor),
  '0009-limits': expand(1, limits),
  '0010-passkeys': expand(1, passkeys),
  '0011-epochs': expand(2, epochs),
  '0012-edge': expand(2, edge),
  '0013-costs': expand(2, costs),
  '0014-trunk-holders': expand(2, trunkHolders),
  '0015-file-uploads': expand(2, fileUploads),
  '0016-releases': expand(2, releases),
  '0017-assistants': expand(2, assistants),
  '0018-results': expand(2, results),
  '0019-knowledge': expand(2, knowledge),
  '0020-leashes': expand(2, leashes),
  '0021-scenarios': expand(2, scenarios),
  '0022-names': expand(2, names),
  '0023-office-hours': expand(2, officeHours),
  '0024-people': expand(2, people),
  '0025-statements': expand(2, statements),
  '0026-browser-phones': expand(2, browserPhones),
  '0027-flow-changes': expand(2, flowChanges),
  '0028-number-stock': expand(2, numberStock),
  '0029-calls-of-all': expand(2, callsOfAll),
  '0030-porting-documents': expand(2, portingDocuments),
  '0031-lost-attempts': expand(2, lostAttempts),
  '0033-proven-tokens': expand(2, provenTokens),
  '0037-erasures': expand(2, erasures),
  '0038-retention': expand(2, retention),
  '0039-recording-rules': expand(2, recordingRules),
  '0040-privacy': expand(2, privacy),
  '0051-roles': expand(2, ownRoles),
  '0052-audit-streams': expand(2, auditStreams),
  '0053-single-sign-on': expand(2, singleSignOn),
  '0055-notification-format': expand(2, notificationFormat),
  '0056-recording-parts': expand(2, recordingParts),
  '0057-edge-calls': expand(2, edgeCalls),
  '0058-lease-doubt': expand(2, leaseDoubt),
  '0070-calendars': expand(2, calendars),
  '0071-variables': expand(2, variables),
}

/** Release of this version. A database may be one release ahead of it. */
export const schemaRelease = Math.max(...Object.values(migrations).map(({ release }) => release))

/** Migrates the database to the schema of this version, unless a newer version has already migrated it further. */
export const migrate = async (db: Kysely<Schema>, dialect: Dialect): Promise<void> => {
  await refuseTooNew(db, dialect, schemaRelease)
  const made = await changesMade(db, dialect)
  if (Object.keys(migrations).some((name) => !made.includes(name))) await makeChanges(db, dialect, made)
  await noteRelease(db, schemaRelease)
}

/** Only runs if there are changes: the migrator first reads every column of every table. */
const makeChanges = async (db: Kysely<Schema>, dialect: Dialect, made: readonly string[]): Promise<void> => {
  const known = Object.entries(migrations).map(([name, { statements }]) => [name, toMigration(statements(dialect))] as const)
  const all = Object.fromEntries([...made.map((name) => [name, madeByNewer] as const), ...known])
  const provider = { getMigrations: () => Promise.resolve(all) }
  const { error } = await new Migrator({ db, provider, allowUnorderedMigrations: true }).migrateToLatest()
  if (error) throw new Error('the database could not be brought to the present schema', { cause: error })
}

const toMigration = (statements: readonly string[]): Migration => ({
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction)
  },
})

/** The migrator requires every applied change. */
const madeByNewer: Migration = { up: () => Promise.reject(new Error('this change is of a newer version')) }

/** Schema of a database, with regard to compatible program versions. */
export interface SchemaState {
  /** Newest release that it was migrated to; 0: it is empty. */
  release: number
  /** Oldest release that can work with it. */
  oldestReader: number
  /** Names of the applied changes, newest last. */
  made: string[]
}

export const readSchemaState = async (db: Kysely<Schema>, dialect: Dialect): Promise<SchemaState> => {
  const made = (await changesMade(db, dialect)).toSorted()
  const noted = await releaseOf(db, dialect)
  if (noted) return { release: noted.newest, oldestReader: noted.min_reader, made }
  // Databases from before releases were recorded have release 1.
  return { release: made.length === 0 ? 0 : 1, oldestReader: made.length === 0 ? 0 : 1, made }
}

/** Changes that a start of this version would apply. */
export const changesAhead = ({ made }: Pick<SchemaState, 'made'>): { name: string; kind: 'expand' | 'contract'; release: number }[] =>
  Object.entries(migrations)
    .filter(([name]) => !made.includes(name))
    .map(([name, { kind, release }]) => ({ name, kind, release }))

/** Whether this version can work with it. */
export const canWorkWith = ({ oldestReader }: Pick<SchemaState, 'oldestReader'>): boolean => schemaRelease >= oldestReader
