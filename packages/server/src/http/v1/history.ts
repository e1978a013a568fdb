import type { historyV1Operations } from '@offhook/contract/v1/history.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'
import { changeEntry, findEntry, historyFilter, pageOf, removeEntry, toHistoryElement } from '../v2/history.ts'

/** The same history as under /v2, in the older form without a total. */
export const historyV1Handlers = (parts: Parts): Handlers<typeof historyV1Operations> => {
  const { store } = parts
  return {
    listHistoryV1: async ({ caller, params, query }) => {
      const filter = await historyFilter(store.read, { accountId: caller.accountId, userId: params.userId }, query)
      const entries = await store.read.history.list(caller.accountId, filter, pageOf(query))
      return { items: entries.map(toHistoryElement) }
    },

    getHistoryEntryV1: async ({ caller, params }) =>
      toHistoryElement(await findEntry(store.read, { accountId: caller.accountId, ...params })),

    changeHistoryEntryV1: ({ caller, params, body }) => changeEntry(parts, { accountId: caller.accountId, ...params }, body),

    deleteHistoryEntryV1: ({ caller, params }) => removeEntry(parts, { accountId: caller.accountId, ...params }),
  }
}
