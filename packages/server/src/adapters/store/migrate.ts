import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { Dialect } from './schema/dialect.ts'
import { foundation } from './migrations/0001-foundation.ts'
import { assistant } from './migrations/0002-assistant.ts'
import { liveCalls } from './migrations/0003-live-calls.ts'
import { messages } from './migrations/0004-messages.ts'
import { console } from './migrations/0005-console.ts'
import { heard } from './migrations/0006-heard.ts'
import { lamps } from './migrations/0007-lamps.ts'
import { secondFactor } from './migrations/0008-second-factor.ts'
import { limits } from './migrations/0009-limits.ts'
import { passkeys } from './migrations/0010-passkeys.ts'
import { epochs } from './migrations/0011-epochs.ts'
import { edge } from './migrations/0012-edge.ts'
import { costs } from './migrations/0013-costs.ts'
import { fileUploads } from './migrations/0015-file-uploads.ts'
import type { Schema } from './schema/index.ts'

/** Every change of the schema, oldest first. A migration that has been released is never edited; the next one corrects it. */
const migrations: Record<string, (dialect: Dialect) => string[]> = {
  '0001-foundation': foundation,
  '0002-assistant': assistant,
  '0003-live-calls': liveCalls,
  '0004-messages': messages,
  '0005-console': console,
  '0006-heard': heard,
  '0007-lamps': lamps,
  '0008-second-factor': secondFactor,
  '0009-limits': limits,
  '0010-passkeys': passkeys,
  '0011-epochs': epochs,
  '0012-edge': edge,
  '0013-costs': costs,
  '0015-file-uploads': fileUploads,
}

export const migrate = async (db: Kysely<Schema>, dialect: Dialect): Promise<void> => {
  const toMigration = (statements: (dialect: Dialect) => string[]): Migration => ({
    async up(transaction) {
      for (const statement of statements(dialect)) await sql.raw(statement).execute(transaction)
    },
  })
  const provider = {
    getMigrations: () => Promise.resolve(Object.fromEntries(Object.entries(migrations).map(([name, list]) => [name, toMigration(list)]))),
  }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error) throw new Error('the database could not be brought to the present schema', { cause: error })
}
