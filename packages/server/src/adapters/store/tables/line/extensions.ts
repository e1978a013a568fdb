import type { ExtensionKind, Extensions } from '#core/kernel/ports/store/line.ts'
import type { Db } from '#adapters/store/schema/index.ts'
import { hasEffect } from '../row-counts.ts'

export const extensions = (db: Db): Extensions => ({
  async create(accountId, { kind, alias, owner, at }) {
    const { next_n } = await db
      .insertInto('extension_seq')
      .values({ account_id: accountId, kind, next_n: 1 })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'kind']).doUpdateSet((eb) => ({ next_n: eb('extension_seq.next_n', '+', 1) })),
      )
      .returning('next_n')
      .executeTakeFirstOrThrow()
    const n = next_n - 1
    const ext = `${kind}${n}`
    await db
      .insertInto('extension')
      .values({ account_id: accountId, ext, kind, n, alias, owner: owner ?? null, created_at: at, deleted_at: null })
      .execute()
    return ext
  },

  async find(accountId, id) {
    const row = await db
      .selectFrom('extension')
      .select(['ext', 'kind', 'alias', 'owner'])
      .where('account_id', '=', accountId)
      .where('ext', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    return row && { id: row.ext, kind: row.kind as ExtensionKind, alias: row.alias, owner: row.owner ?? undefined }
  },

  async listOwned(accountId, owner, kind) {
    const rows = await db
      .selectFrom('extension')
      .select(['ext', 'alias'])
      .where('account_id', '=', accountId)
      .where('owner', '=', owner)
      .where('kind', '=', kind)
      .where('deleted_at', 'is', null)
      .orderBy('n')
      .execute()
    return rows.map((row) => ({ id: row.ext, kind, alias: row.alias, owner }))
  },

  async setAlias(accountId, id, alias) {
    return hasEffect(
      db.updateTable('extension').set({ alias }).where('account_id', '=', accountId).where('ext', '=', id).where('deleted_at', 'is', null),
    )
  },

  async remove(accountId, id, at) {
    return hasEffect(
      db
        .updateTable('extension')
        .set({ deleted_at: at })
        .where('account_id', '=', accountId)
        .where('ext', '=', id)
        .where('deleted_at', 'is', null),
    )
  },
})
