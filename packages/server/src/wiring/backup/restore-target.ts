import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withSqlite } from '#adapters/store/plain-database.ts'
import { rehearse, silence } from '#adapters/store/restored.ts'
import { refuseDamaged } from '#adapters/store/sqlite/online-copy.ts'
import { claimFile } from '#adapters/store/sqlite/single-process.ts'
import type { Settings } from '#settings/config.ts'
import type { Engine, Manifest } from './manifest.ts'
import { Refused } from './refused.ts'

interface TakeOptions {
  rehearsal: boolean
  signal: AbortSignal
}

/** The empty database that a backup is restored into. Until it is closed no service can start on it. */
export interface Target {
  engine: Engine
  /** `file`: the copy from the archive. */
  take(file: string, manifest: Manifest, options: TakeOptions): Promise<void>
  close(): Promise<void>
}

export const openTarget = (settings: Settings): Promise<Target> =>
  settings.DATABASE_URL === undefined ? openSqlite(settings.OFFHOOK_DATA) : openPostgres(settings.DATABASE_URL)

/** The copy is made fit where it lies; it is moved with all other files. */
const openSqlite = async (data: string): Promise<Target> => {
  const file = join(data, 'offhook.db')
  const giveUp = claimFile(file)
  return {
    engine: 'sqlite',
    take: (copy, _manifest, { rehearsal }) =>
      withSqlite(copy, { readOnly: false }, async (db, database) => {
        refuseDamaged(database)
        database.exec('begin')
        await silence(db)
        if (rehearsal) await rehearse(db)
        database.exec('commit')
      }),
    async close() {
      giveUp()
      await rm(`${file}.lock`, { force: true })
    },
  }
}

const openPostgres = async (url: string): Promise<Target> => {
  const { heldEmpty } = await import('#adapters/store/empty-postgres.ts')
  const held = await heldEmpty(url)
  if (held.found !== undefined) {
    await held.release()
    throw new Refused(`The database of DATABASE_URL is not empty (it has ${held.found}). Restore into an empty one.`)
  }
  return {
    engine: 'postgres',
    async take(copy, { database }, { rehearsal, signal }) {
      const { restoreDump } = await import('#adapters/store/postgres/postgres-dump.ts')
      const { findProgram } = await import('#adapters/store/postgres/postgres-programs.ts')
      const { withPostgres } = await import('#adapters/store/plain-database.ts')
      const { path: program } = await findProgram('pg_restore', Math.max(held.major, database.serverMajor ?? 0))
      await restoreDump({ program, url, signal }, copy)
      await withPostgres(url, (db) =>
        db.transaction().execute(async (transaction) => {
          await silence(transaction)
          if (rehearsal) await rehearse(transaction)
        }),
      )
      await rm(copy)
    },
    close: () => held.release(),
  }
}
