import type { historyV1Operations } from '@offhook/contract/v1/history.ts'
import type { Handlers } from '../handler/context.ts'
import { changeEntries, getEntry, historyFilter, readPage, removeEntries, toPage, type HistoryParts } from '../v2/history.ts'

/** The same history as under /v2, in the older form without a total. */
export const historyV1Handlers = (parts: HistoryParts): Handlers<typeof historyV1Operations> => ({
  listHistoryV1: async ({ caller, params: { userId }, query }) => {
    const filter = await historyFilter(parts, { accountId: caller.accountId, userId }, query)
    return toPage(parts, caller, await readPage(parts, caller, filter, query))
  },

  getHistoryEntryV1: ({ caller, params }) => getEntry(parts, caller, params),

  changeHistoryEntryV1: ({ caller, params: { userId, entryId }, body }) => changeEntries(parts, caller, userId, [{ id: entryId, ...body }]),

  deleteHistoryEntryV1: ({ caller, params: { userId, entryId } }) => removeEntries(parts, caller, userId, [entryId]),
})
