import type { FragmentKey, Fragments, Messages } from '#core/kernel/ports/store/message/messages.ts'
import type { Db } from '#adapters/store/schema/index.ts'

type FragmentTable = Pick<
  Messages,
  'lockFragments' | 'setFragments' | 'removeFragments' | 'listFragmentsBefore' | 'removeDoneFragmentsBefore'
>

// As JSON, because half of a pair may stand at the end of a part, which no database keeps as text.
export const smsFragments = (db: Db): FragmentTable => ({
  async lockFragments(key, at) {
    // An empty row first: on PostgreSQL a written row is locked until the end of the transaction.
    const row = await db
      .insertInto('sms_fragment')
      .values({ ...columns(key), parts: '{}', at, done_at: null })
      .onConflict((conflict) => conflict.columns(['route', 'sender', 'recipient', 'reference', 'total']).doUpdateSet({ at }))
      .returning(['parts', 'done_at'])
      .executeTakeFirstOrThrow()
    return toFragments(row)
  },

  async setFragments(key, { parts, doneAt }) {
    await db
      .updateTable('sms_fragment')
      .set({ parts: JSON.stringify(parts), done_at: doneAt ?? null })
      .where((eb) => eb.and(columns(key)))
      .execute()
  },

  async removeFragments(key) {
    await db
      .deleteFrom('sms_fragment')
      .where((eb) => eb.and(columns(key)))
      .execute()
  },

  async listFragmentsBefore(at, limit) {
    const rows = await db
      .selectFrom('sms_fragment')
      .selectAll()
      .where('at', '<', at)
      .where('done_at', 'is', null)
      .orderBy('at')
      .limit(limit)
      .execute()
    return rows.map((row) => ({ ...columns(row), ...toFragments(row) }))
  },

  async removeDoneFragmentsBefore(at) {
    await db.deleteFrom('sms_fragment').where('done_at', '<', at).execute()
  },
})

const columns = ({ route, sender, recipient, reference, total }: FragmentKey) => ({ route, sender, recipient, reference, total })

const toFragments = ({ parts, done_at }: { parts: string; done_at: number | null }): Fragments => ({
  parts: JSON.parse(parts) as Record<number, string>,
  doneAt: done_at ?? undefined,
})
