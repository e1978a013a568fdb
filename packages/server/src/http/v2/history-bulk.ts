import { Problem } from '@offhook/contract/problem.ts'
import type { HistoryBulk } from '@offhook/contract/v2/history.ts'
import type { Static } from 'typebox'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { viewerOf } from '#core/account/history/own-extensions.ts'
import type { HistoryEntryChange, HistoryFilter } from '#core/kernel/ports/store/call/history.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

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

const entriesPerBatch = 500
const maxEntries = 10_000

interface Bulk {
  filter: HistoryFilter
  action: Action
  /** Deletes entries with all that belongs to them. */
  remove: (ids: readonly string[]) => Promise<void>
}

/** Does the same to many entries, in transactions of a few hundred. Entries that are not there, or not the caller's, are passed over. */
export const changeMany = async ({ store, clock }: Parts, { accountId }: UserCaller, bulk: Bulk): Promise<number> => {
  const { filter, action, remove } = bulk
  const { history } = store.read
  if ((await history.count(accountId, filter, maxEntries + 1)) > maxEntries) throw new Problem('bulk_too_large')
  const found = await history.list(accountId, filter, { limit: maxEntries })
  const ids = found.map(({ id }) => id)
  for (let from = 0; from < ids.length; from += entriesPerBatch) {
    const some = ids.slice(from, from + entriesPerBatch)
    if (action === 'DELETE') await remove(some)
    else
      await store.write(async (tables) => {
        for (const id of some) await tables.history.update(accountId, id, changes[action], clock.now())
      })
  }
  return ids.length
}

/** Which entries are meant: those that are named, or those that a query finds. */
export const filterOf = async (
  { store }: Parts,
  { accountId, userId }: UserCaller,
  { ids, query }: Static<typeof HistoryBulk>,
  read: (query: NonNullable<Static<typeof HistoryBulk>['query']>) => Promise<HistoryFilter>,
): Promise<HistoryFilter> => {
  if ((ids === undefined) === (query === undefined)) throw Problem.field('ids', 'or query is needed, and only one of them')
  if (query !== undefined) return read(query)
  return { ids: [...new Set(ids)], seenBy: await viewerOf(store.read, accountId, userId) }
}
