import type { CallSearch, CallSearches, FoundCall } from '#core/kernel/ports/store/call.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { record } from '../record.ts'

type Row = Pick<
  Schema['timeline'],
  'account_id' | 'call_id' | 'flow_id' | 'source' | 'target' | 'started_at' | 'ended_at' | 'end_reason' | 'trunk_id'
>

const found = record<Row, FoundCall>()({ source: 'from', target: 'to', end_reason: 'reason' })

export const callSearches = (db: Db): CallSearches => ({
  async search(input) {
    const rows = await fitting(db, input).execute()
    const last = rows.length < input.limit ? await endOfWindow(db, input) : rows.at(-1)?.started_at
    return { items: rows.map(found.fields), readTo: last }
  },
})

/** By time alone, which has an index: no search reads more than this. */
const window = (db: Db, { from, before, mostRead: maxRead }: CallSearch) =>
  db
    .selectFrom('timeline')
    .select(['account_id', 'call_id', 'flow_id', 'source', 'target', 'started_at', 'ended_at', 'end_reason', 'trunk_id'])
    .where('started_at', '<', before)
    .$if(from !== undefined, (query) => query.where('started_at', '>=', from ?? 0))
    .orderBy('started_at', 'desc')
    .limit(maxRead)

const fitting = (db: Db, input: CallSearch) => {
  const { callId, digits, accountId, reasons, trunkId, limit } = input
  return (
    db
      .selectFrom(window(db, input).as('recent'))
      .selectAll()
      .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
      .$if(trunkId !== undefined, (query) => query.where('trunk_id', '=', trunkId ?? ''))
      .$if(reasons !== undefined, (query) => query.where('end_reason', 'in', [...(reasons ?? [])]))
      .$if(callId !== undefined, (query) => query.where('call_id', '=', callId ?? ''))
      // Only digits, so there are no LIKE wildcards.
      .$if(digits !== undefined, (query) =>
        query.where((eb) => eb.or([eb('source', 'like', `%${digits ?? ''}%`), eb('target', 'like', `%${digits ?? ''}%`)])),
      )
      .orderBy('started_at', 'desc')
      .limit(limit)
  )
}

/** Start of the oldest call that was read; undefined if there is no older one. */
const endOfWindow = async (db: Db, input: CallSearch): Promise<number | undefined> => {
  const oldest = await window(db, { ...input, mostRead: 1 })
    .offset(input.mostRead - 1)
    .executeTakeFirst()
  return oldest?.started_at
}
