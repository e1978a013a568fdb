import { sql, type Kysely } from 'kysely'
import { withPostgres } from './plain-database.ts'
import type { Schema } from './schema/index.ts'
import { migrationLock } from './postgres/migration-lock.ts'
import { anyTable, serverMajor } from './postgres/postgres-server.ts'

export interface HeldEmpty {
  /** A table that is there all the same. */
  found: string | undefined
  major: number
  release(): Promise<void>
}

/** Looks into a database that should be empty. Until it is released, a service that starts on it waits before it makes its tables. */
export const heldEmpty = async (url: string): Promise<HeldEmpty> => {
  const looked = Promise.withResolvers<Omit<HeldEmpty, 'release'>>()
  const released = Promise.withResolvers<void>()
  const hold = (db: Kysely<Schema>): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction)
      looked.resolve({ found: await anyTable(transaction), major: await serverMajor(transaction) })
      await released.promise
    })
  const held = withPostgres(url, hold)
  held.catch((error: unknown) => looked.reject(error))
  return {
    ...(await looked.promise),
    async release() {
      released.resolve()
      await held
    },
  }
}
