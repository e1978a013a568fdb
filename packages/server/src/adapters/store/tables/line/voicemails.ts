import type { Greeting, Voicemail, Voicemails } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { extensions } from './extensions.ts'
import { asFlag, hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const voicemail = record<Schema['voicemail'] & { alias: string }, Voicemail>()({
  ext: 'id',
  timeout_s: 'timeout',
  active: asFlag,
  transcription: asFlag,
  account_id: hidden,
})
const greeting = record<Pick<Schema['greeting'], 'id' | 'alias' | 'active' | 'duration_ms'>, Greeting>()({ active: asFlag })

export const voicemails = (db: Db): Voicemails => ({
  async create(accountId, { owner, alias, at }) {
    const ext = await extensions(db).create(accountId, { kind: 'v', alias, owner, at })
    await db.insertInto('voicemail').values({ account_id: accountId, ext, owner, timeout_s: 20, active: 1, transcription: 1 }).execute()
    return ext
  },

  async listByOwner(accountId, owner) {
    return voicemail.all(living(db, accountId).where('voicemail.owner', '=', owner).orderBy('extension.n'))
  },

  async find(accountId, id) {
    return voicemail.first(living(db, accountId).where('voicemail.ext', '=', id))
  },

  async update(accountId, id, change) {
    const set = voicemail.changes(change)
    if (Object.keys(set).length === 0) return
    await db.updateTable('voicemail').set(set).where('account_id', '=', accountId).where('ext', '=', id).execute()
  },

  async remove(accountId, id, at) {
    await db.deleteFrom('greeting').where('account_id', '=', accountId).where('voicemail', '=', id).execute()
    await extensions(db).remove(accountId, id, at)
  },

  async greetings(accountId, voicemailId) {
    return greeting.all(greetingsOf(db, accountId, voicemailId).orderBy('id'))
  },

  async findGreeting(accountId, voicemailId, id) {
    const row = await greetingsOf(db, accountId, voicemailId).select('audio').where('id', '=', id).executeTakeFirst()
    if (!row) return undefined
    const { audio, ...shown } = row
    return { ...greeting.fields(shown), audio }
  },

  async insertGreeting(accountId, voicemailId, { audio, at, ...shown }) {
    const { id } = await db
      .insertInto('greeting')
      .values({ account_id: accountId, voicemail: voicemailId, ...greeting.columns(shown), audio, created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async activateGreeting(accountId, voicemailId, id) {
    const ofVoicemail = db.updateTable('greeting').where('account_id', '=', accountId).where('voicemail', '=', voicemailId)
    await ofVoicemail.set({ active: 0 }).where('active', '=', 1).where('id', '!=', id).execute()
    await ofVoicemail.set({ active: 1 }).where('id', '=', id).execute()
  },

  async removeGreeting(accountId, voicemailId, id) {
    return hasEffect(
      db.deleteFrom('greeting').where('account_id', '=', accountId).where('voicemail', '=', voicemailId).where('id', '=', id),
    )
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

const greetingsOf = (db: Db, accountId: string, voicemailId: string) =>
  db
    .selectFrom('greeting')
    .select(['id', 'alias', 'active', 'duration_ms'])
    .where('account_id', '=', accountId)
    .where('voicemail', '=', voicemailId)
