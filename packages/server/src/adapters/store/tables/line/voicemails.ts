import type { Selectable } from 'kysely'
import type { Greeting, Voicemail, Voicemails } from '#core/kernel/ports/store/line.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { extensions } from './extensions.ts'
import { hasEffect } from '../row-counts.ts'

export const voicemails = (db: Db): Voicemails => ({
  async create(accountId, { owner, alias, at }) {
    const ext = await extensions(db).create(accountId, { kind: 'v', alias, owner, at })
    await db.insertInto('voicemail').values({ account_id: accountId, ext, owner, timeout_s: 20, active: 1, transcription: 1 }).execute()
    return ext
  },

  async listByOwner(accountId, owner) {
    const rows = await living(db, accountId).where('voicemail.owner', '=', owner).orderBy('extension.n').execute()
    return rows.map(toVoicemail)
  },

  async find(accountId, id) {
    const row = await living(db, accountId).where('voicemail.ext', '=', id).executeTakeFirst()
    return row && toVoicemail(row)
  },

  async update(accountId, id, { timeout, active, transcription }) {
    const set = {
      ...(timeout !== undefined && { timeout_s: timeout }),
      ...(active !== undefined && { active: flag(active) }),
      ...(transcription !== undefined && { transcription: flag(transcription) }),
    }
    if (Object.keys(set).length === 0) return
    await db.updateTable('voicemail').set(set).where('account_id', '=', accountId).where('ext', '=', id).execute()
  },

  async remove(accountId, id, at) {
    await db.deleteFrom('greeting').where('account_id', '=', accountId).where('voicemail', '=', id).execute()
    await extensions(db).remove(accountId, id, at)
  },

  async greetings(accountId, voicemail) {
    const rows = await db
      .selectFrom('greeting')
      .select(['id', 'alias', 'active', 'duration_ms'])
      .where('account_id', '=', accountId)
      .where('voicemail', '=', voicemail)
      .orderBy('id')
      .execute()
    return rows.map(toGreeting)
  },

  async findGreeting(accountId, voicemail, id) {
    const row = await db
      .selectFrom('greeting')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('voicemail', '=', voicemail)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && { ...toGreeting(row), audio: row.audio }
  },

  async insertGreeting(accountId, voicemail, { alias, audio, durationMs, active, at }) {
    const { id } = await db
      .insertInto('greeting')
      .values({ account_id: accountId, voicemail, alias, audio, duration_ms: durationMs, active: flag(active), created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async activateGreeting(accountId, voicemail, id) {
    const ofVoicemail = db.updateTable('greeting').where('account_id', '=', accountId).where('voicemail', '=', voicemail)
    await ofVoicemail.set({ active: 0 }).where('active', '=', 1).where('id', '!=', id).execute()
    await ofVoicemail.set({ active: 1 }).where('id', '=', id).execute()
  },

  async removeGreeting(accountId, voicemail, id) {
    return hasEffect(db.deleteFrom('greeting').where('account_id', '=', accountId).where('voicemail', '=', voicemail).where('id', '=', id))
  },
})

const living = (db: Db, accountId: string) =>
  db
    .selectFrom('voicemail')
    .innerJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'voicemail.account_id').onRef('extension.ext', '=', 'voicemail.ext'),
    )
    .selectAll('voicemail')
    .select('extension.alias')
    .where('voicemail.account_id', '=', accountId)
    .where('extension.deleted_at', 'is', null)

const toVoicemail = (row: Selectable<Schema['voicemail']> & { alias: string }): Voicemail => ({
  id: row.ext,
  alias: row.alias,
  owner: row.owner,
  timeout: row.timeout_s,
  active: row.active === 1,
  transcription: row.transcription === 1,
})

const toGreeting = (row: Pick<Selectable<Schema['greeting']>, 'id' | 'alias' | 'active' | 'duration_ms'>): Greeting => ({
  id: row.id,
  alias: row.alias,
  active: row.active === 1,
  durationMs: row.duration_ms,
})
