import type { historyV1Operations } from '@offhook/contract/v1/history.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'
import { changeEntry, getEntry, historyFilter, listPage, removeEntry } from '../v2/history.ts'

/** The same history as under /v2, in the older form without a total. */
export const historyV1Handlers = (parts: Parts): Handlers<typeof historyV1Operations> => {
  const { store } = parts
  return {
    listHistoryV1: async ({ caller, params: { userId }, query }) => {
      const filter = await historyFilter(store.read, { accountId: caller.accountId, userId }, query)
      return listPage(parts, caller, filter, query)
    },

    getHistoryEntryV1: ({ caller, params }) => getEntry(parts, caller, params),

    changeHistoryEntryV1: ({ caller, params, body }) => changeEntry(parts, { accountId: caller.accountId, ...params }, body),

    deleteHistoryEntryV1: ({ caller, params }) => removeEntry(parts, caller, params),
  }
}
