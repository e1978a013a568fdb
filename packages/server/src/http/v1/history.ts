import type { historyV1Operations } from '@offhook/contract/v1/history.ts'
import type { Handlers } from '../handler/context.ts'
import { changeEntries, getEntry, historyFilter, readPage, removeEntries, toPage, type HistoryDeps } from '../v2/history.ts'

/** The same history as under /v2, in the older form without a total. */
export const historyV1Handlers = (deps: HistoryDeps): Handlers<typeof historyV1Operations> => ({
  listHistoryV1: async ({ caller, params: { userId }, query }) => {
    const filter = await historyFilter(deps, { accountId: caller.accountId, userId }, query)
    return toPage(deps, caller, await readPage(deps, caller, filter, query))
  },

  getHistoryEntryV1: ({ caller, params }) => getEntry(deps, caller, params),

  changeHistoryEntryV1: ({ caller, params: { userId, entryId }, body }) => changeEntries(deps, caller, userId, [{ id: entryId, ...body }]),

  deleteHistoryEntryV1: ({ caller, params: { userId, entryId } }) => removeEntries(deps, caller, userId, [entryId]),
})
