import type { PortingDocuments } from '#core/kernel/ports/store/number/porting-documents.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const portingDocuments = (db: Db): PortingDocuments => {
  const of = (accountId: string, portingId: number) =>
    db
      .selectFrom('porting_document')
      .select(['id', 'name', 'bytes', 'added_at as addedAt'])
      .where('account_id', '=', accountId)
      .where('porting_id', '=', portingId)
  return {
    list: (accountId, portingId) => of(accountId, portingId).orderBy('added_at').orderBy('id').execute(),

    content: (accountId, portingId, id) =>
      of(accountId, portingId).select('content_sealed as contentSealed').where('id', '=', id).executeTakeFirst(),

    async insert(accountId, portingId, { id, name, bytes, addedAt, contentSealed }) {
      const row = { id, account_id: accountId, porting_id: portingId, name, content_sealed: contentSealed, bytes, added_at: addedAt }
      await db.insertInto('porting_document').values(row).execute()
    },

    async remove(accountId, portingId, id) {
      const query = db.deleteFrom('porting_document').where('account_id', '=', accountId).where('porting_id', '=', portingId)
      return (await query.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
    },

    async removeByAccount(accountId) {
      await db.deleteFrom('porting_document').where('account_id', '=', accountId).execute()
    },
  }
}
