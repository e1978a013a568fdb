import type { Kysely } from 'kysely'
import type { Schema } from './schema/index.ts'

/** Newer than any version can read, so that a call with it is ended and not resumed. */
const neverResumed = 2_147_483_647

/**
 * Keeps what was under way when a backup was made from speaking to phones that have long gone on: its calls are ended and paid for by the next start
 * like those of a process that died, but nobody hears of it, since their phones may be talking elsewhere under the same names.
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
    return snapshot // who reads it complains, and nobody is told anything
  }
}

/** What speaks to the outside by itself. */
const outwardJobs = ['sms.send', 'sms.phones', 'fax.send', 'event.tell', 'identity.reset_mail', 'spending.alarm', 'number.%', 'porting.%']

/** For trying a backup beside the service that it is of: no carrier is registered at, and nothing that waits is sent. */
export const rehearse = async (db: Kysely<Schema>): Promise<void> => {
  await db.updateTable('trunk').set({ active: 0 }).execute()
  await db.updateTable('outbox').set({ state: 'DEAD', last_error: 'restored for a rehearsal' }).where('state', '=', 'PENDING').execute()
  for (const kind of outwardJobs) await db.deleteFrom('job').where('kind', 'like', kind).execute()
}
