import { Problem } from '@offhook/contract/problem.ts'
import type { HistoryBulk } from '@offhook/contract/v2/history.ts'
import type { Static } from 'typebox'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { viewerOf } from '#core/account/history/own-extensions.ts'
import { readLong } from '#core/account/long-reads/long-reads.ts'
import type { HistoryEntryChange, HistoryFilter } from '#core/kernel/ports/store/call.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

type Action = Static<typeof HistoryBulk>['action']
type Parts = Pick<HandlerDeps, 'store' | 'clock'>

const changes: Record<Exclude<Action, 'DELETE'>, HistoryEntryChange> = {
  READ: { read: true },
  UNREAD: { read: false },
  STAR: { starred: true },
  UNSTAR: { starred: false },
  ARCHIVE: { archived: true },
  UNARCHIVE: { archived: false },
}

/** Entries per transaction, which blocks the event loop for some milliseconds. */
const entriesPerBatch = 100
const maxEntries = 10_000

interface Bulk {
  filter: HistoryFilter
  action: Action
  /** Deletes entries with everything that belongs to them. */
  remove: (ids: readonly string[]) => Promise<void>
  breathe: () => Promise<void>
}

/** Applies one change to many entries, in transactions of a hundred. Skips entries that do not exist or belong to others. */
export const changeMany = async ({ store, clock }: Parts, { accountId }: UserCaller, bulk: Bulk): Promise<number> => {
  const { filter, action, remove, breathe } = bulk
  const ids = await readLong(store, 'historyIds', { accountId, filter, limit: maxEntries + 1 })
  if (ids.length > maxEntries) throw new Problem('bulk_too_large')
  for (let from = 0; from < ids.length; from += entriesPerBatch) {
    await breathe()
    const some = ids.slice(from, from + entriesPerBatch)
    if (action === 'DELETE') await remove(some)
    else
      await store.write(async (tables) => {
        for (const id of some) await tables.history.update(accountId, id, changes[action], clock.now())
      })
  }
  return ids.length
}

/** Selects named entries, or those that match a query. */
export const filterOf = async (
  { store }: Parts,
  { accountId, userId }: UserCaller,
  { ids, query }: Static<typeof HistoryBulk>,
  read: (query: NonNullable<Static<typeof HistoryBulk>['query']>) => Promise<HistoryFilter>,
): Promise<HistoryFilter> => {
  if ((ids === undefined) === (query === undefined)) throw Problem.field('ids', 'or query is needed, and only one of them')
  if (query !== undefined) return read(query)
  return { ids: [...new Set(ids)], seenBy: await viewerOf(store.read, accountId, userId, 'CAN_CHANGE_HISTORY') }
}
