import type { HistoryCursor, HistoryFilter } from '#core/kernel/ports/store/call.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

interface HistoryIdsInput {
  accountId: string
  filter: HistoryFilter
  limit: number
}

const entriesPerBatch = 200

/** Ids of the entries that match a filter, newest first, up to the limit. */
export const historyIds = async ({ history }: Tables, { accountId, filter, limit }: HistoryIdsInput): Promise<string[]> => {
  const ids: string[] = []
  for (let after: HistoryCursor | undefined; ids.length < limit;) {
    const page = { limit: Math.min(entriesPerBatch, limit - ids.length), ...(after && { after }) }
    const entries = await history.list(accountId, filter, page)
    ids.push(...entries.map(({ id }) => id))
    after = entries.at(-1)
    if (entries.length < entriesPerBatch) break
  }
  return ids
}
