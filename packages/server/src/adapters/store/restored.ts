import { sql, type Kysely } from 'kysely'
import type { Schema } from './schema/index.ts'
import { withPostgres } from './plain-database.ts'
import { migrationLock } from './postgres/postgres-sessions.ts'
import { anyTable, serverMajor } from './postgres/postgres-dump.ts'

/** Newer than any version can read, so that its call is ended and not resumed. */
const neverResumed = 2_147_483_647

/**
 * Keeps calls from a backup away from phones that have long moved on: the next start ends and bills them like those of a dead process, but
 * sends no messages, since their phones may be in other calls under the same dialog ids.
 */
export const silence = async (db: Kysely<Schema>): Promise<void> => {
  for (const { call_id: callId, snapshot } of await db.selectFrom('running_call').select(['call_id', 'snapshot']).execute())
    await db
      .updateTable('running_call')
      .set({ version: neverResumed, snapshot: withoutDialogs(snapshot) })
      .where('call_id', '=', callId)
      .execute()
  await db.updateTable('fax').set({ dialog: null }).where('dialog', 'is not', null).execute()
  await db.deleteFrom('sip_subscription').execute()
  await db.deleteFrom('trunk_holder').execute()
}

const withoutDialogs = (snapshot: string): string => {
  try {
    return JSON.stringify({ ...(JSON.parse(snapshot) as object), dialogs: [] })
  } catch {
    return snapshot // its reader reports it, and no message is sent
  }
}

/** Jobs that send to the outside. */
const outwardJobs = ['sms.send', 'sms.phones', 'fax.send', 'event.tell', 'identity.reset_mail', 'spending.alarm', 'number.%', 'porting.%']

/** For a test of a backup next to its running service: registers at no carrier and sends no queued messages. */
export const rehearse = async (db: Kysely<Schema>): Promise<void> => {
  await db.updateTable('trunk').set({ active: 0 }).execute()
  await db.updateTable('outbox').set({ state: 'DEAD', last_error: 'restored for a rehearsal' }).where('state', '=', 'PENDING').execute()
  for (const kind of outwardJobs) await db.deleteFrom('job').where('kind', 'like', kind).execute()
}

export interface HeldEmpty {
  /** A table that exists nevertheless. */
  found: string | undefined
  major: number
  release(): Promise<void>
}

/** Checks a database that should be empty. Until it is released, a service that starts on it waits before it creates its tables. */
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
