import type { Updateable } from 'kysely'
import type { Faxline, Faxlines } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, hidden, record } from '../record.ts'
import { extensions } from './extensions.ts'

const faxline = record<Schema['faxline'] & { alias: string }, Faxline>()({
  ext: 'id',
  canSend: asFlag,
  canReceive: asFlag,
  account_id: hidden,
})

export const faxlines = (db: Db): Faxlines => ({
  async create(accountId, { owner, alias, at }) {
    const ext = await extensions(db).create(accountId, { kind: 'f', alias, owner, at })
    await db
      .insertInto('faxline')
      .values({ account_id: accountId, ext, owner, tagline: '', caller_id: null, can_send: 1, can_receive: 1 })
      .execute()
    return ext
  },

  async listByOwner(accountId, owner) {
    return faxline.all(living(db, accountId).where('faxline.owner', '=', owner).orderBy('extension.n'))
  },

  async find(accountId, id) {
    return faxline.first(living(db, accountId).where('faxline.ext', '=', id))
  },

  setTagline: (accountId, id, tagline) => set(db, accountId, id, { tagline }),

  setCallerId: (accountId, id, callerId) => set(db, accountId, id, { caller_id: callerId ?? null }),

  async remove(accountId, id, at) {
    await extensions(db).remove(accountId, id, at)
  },
})

const set = async (db: Db, accountId: string, id: string, change: Updateable<Schema['faxline']>): Promise<void> => {
  await db.updateTable('faxline').set(change).where('account_id', '=', accountId).where('ext', '=', id).execute()
}

const living = (db: Db, accountId: string) =>
  db
    .selectFrom('faxline')
    .innerJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'faxline.account_id').onRef('extension.ext', '=', 'faxline.ext'),
    )
    .selectAll('faxline')
    .select('extension.alias')
    .where('faxline.account_id', '=', accountId)
    .where('extension.deleted_at', 'is', null)
