import type { FragmentKey, Messages } from '../../../core/ports/store/messages.ts'
import type { Db } from '../schema/index.ts'

type Fragments = Pick<Messages, 'lockFragments' | 'setFragments' | 'removeFragments' | 'listFragmentsBefore'>

// As JSON, because half of a pair may stand at the end of a part, which no database keeps as text.
export const smsFragments = (db: Db): Fragments => ({
  async lockFragments(key, at) {
    // An empty row first: on PostgreSQL whoever writes the row has it alone until the end of the transaction.
    const { parts } = await db
      .insertInto('sms_fragment')
      .values({ ...columns(key), parts: '{}', at })
      .onConflict((conflict) => conflict.columns(['route', 'sender', 'recipient', 'reference', 'total']).doUpdateSet({ at }))
      .returning('parts')
      .executeTakeFirstOrThrow()
    return JSON.parse(parts) as Record<number, string>
  },

  async setFragments(key, parts) {
    await db
      .updateTable('sms_fragment')
      .set({ parts: JSON.stringify(parts) })
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
    const rows = await db.selectFrom('sms_fragment').selectAll().where('at', '<', at).orderBy('at').limit(limit).execute()
    return rows.map(({ parts, ...row }) => ({ ...row, parts: JSON.parse(parts) as Record<number, string> }))
  },
})

const columns = ({ route, sender, recipient, reference, total }: FragmentKey) => ({ route, sender, recipient, reference, total })
