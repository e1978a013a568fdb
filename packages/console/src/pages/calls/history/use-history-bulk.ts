import { useQueryClient } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import { useMay } from '#api/use-may.ts'
import type { InputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import type { BulkAction } from '#parts/list/columns.ts'
import { useBulk } from '#parts/list/use-bulk.ts'
import { useText } from '#words/use-text.tsx'
import type { HistoryEntry } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'
import { historyReads } from '../parts/use-entry-actions.ts'
import { useHistoryOf } from '../parts/use-history-of.ts'

type Action = InputOf<'changeHistoryInBulk'>[1]['action']
type Query = NonNullable<InputOf<'changeHistoryInBulk'>[1]['query']>
type Entries = readonly HistoryEntry[]

/** Maximum changes per request of the service. */
const batchSize = 500

/** Bulk actions for history entries. `query`: the shown list. */
export const useHistoryBulk = (userId: string, query: Query): BulkAction<HistoryEntry>[] => {
  const say = useText(text)
  const confirm = useConfirm()
  const { isOwn } = useHistoryOf()
  const ofOwn = useOwnInBulk()
  const oneByOne = useBulk(historyReads)
  const mayChange = useMay()('CAN_CHANGE_HISTORY')
  const change = (action: Action, changed: InputOf<'changeHistoryEntry'>[1]) => (entries: Entries) =>
    isOwn ? ofOwn(entries, action) : oneByOne(entries, ({ id: entryId }) => api.changeHistoryEntry({ userId, entryId }, changed))
  const isMeant = (count: number): Promise<boolean> =>
    confirm({ title: say.removeManyTitle(count), body: say.removeManyBody, confirm: say.remove })
  const remove = async (entries: Entries): Promise<void> => {
    if (!(await isMeant(entries.length))) return
    await (isOwn ? ofOwn(entries, 'DELETE') : oneByOne(entries, ({ id: entryId }) => api.deleteHistoryEntry({ userId, entryId })))
  }
  /** Only for the person's own entries: others cannot be changed by a query. */
  const toAll = (action: Action) =>
    isOwn && {
      runAll: async (count: number): Promise<void> => {
        if (action !== 'DELETE' || (await isMeant(count))) await ofOwn({ query }, action)
      },
    }
  if (!mayChange) return []
  return [
    { label: say.markRead, run: change('READ', { read: true }), ...toAll('READ') },
    { label: say.star, run: change('STAR', { starred: true }), ...toAll('STAR') },
    { label: say.archive, run: change('ARCHIVE', { archived: true }), ...toAll('ARCHIVE') },
    { label: say.remove, danger: true, run: remove, ...toAll('DELETE') },
  ]
}

/** Changes the person's own entries together. */
const useOwnInBulk = () => {
  const say = useText(text)
  const toast = useToast()
  const queries = useQueryClient()
  return async (meant: Entries | { query: Query }, action: Action): Promise<void> => {
    let done = 0
    try {
      for (const some of 'query' in meant ? [meant] : inParts(meant))
        done += (await api.changeHistoryInBulk({}, { ...some, action })).changed
      toast.done(say.changedMany(done))
    } catch (error) {
      toast.failed(error)
    }
    await Promise.all(historyReads.map((read) => queries.invalidateQueries({ queryKey: [read] })))
  }
}

const inParts = (entries: Entries): { ids: string[] }[] =>
  Array.from({ length: Math.ceil(entries.length / batchSize) }, (_, part) => ({
    ids: entries.slice(part * batchSize, (part + 1) * batchSize).map(({ id }) => id),
  }))
