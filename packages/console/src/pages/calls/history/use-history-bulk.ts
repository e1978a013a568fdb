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
type Entries = readonly HistoryEntry[]

/** So many the service changes in one request. */
const atOnce = 500

/** What can be done with several entries of the history at once. */
export const useHistoryBulk = (userId: string): BulkAction<HistoryEntry>[] => {
  const say = useText(text)
  const confirm = useConfirm()
  const { isOwn } = useHistoryOf()
  const ofOwn = useOwnInBulk()
  const oneByOne = useBulk(historyReads)
  const mayChange = useMay()('CAN_CHANGE_HISTORY')
  const change = (action: Action, changed: InputOf<'changeHistoryEntry'>[1]) => (entries: Entries) =>
    isOwn ? ofOwn(entries, action) : oneByOne(entries, ({ id: entryId }) => api.changeHistoryEntry({ userId, entryId }, changed))
  const remove = async (entries: Entries): Promise<void> => {
    if (!(await confirm({ title: say.removeManyTitle(entries.length), body: say.removeManyBody, confirm: say.remove }))) return
    await (isOwn ? ofOwn(entries, 'DELETE') : oneByOne(entries, ({ id: entryId }) => api.deleteHistoryEntry({ userId, entryId })))
  }
  if (!mayChange) return []
  return [
    { label: say.markRead, run: change('READ', { read: true }) },
    { label: say.star, run: change('STAR', { starred: true }) },
    { label: say.archive, run: change('ARCHIVE', { archived: true }) },
    { label: say.remove, danger: true, run: remove },
  ]
}

/** Entries of the person's own are changed together. */
const useOwnInBulk = () => {
  const say = useText(text)
  const toast = useToast()
  const queries = useQueryClient()
  return async (entries: Entries, action: Action): Promise<void> => {
    const ids = entries.map(({ id }) => id)
    let done = 0
    try {
      for (let first = 0; first < ids.length; first += atOnce)
        done += (await api.changeHistoryInBulk({}, { ids: ids.slice(first, first + atOnce), action })).changed
      toast.done(say.changedMany(done))
    } catch (error) {
      toast.failed(error)
    }
    await Promise.all(historyReads.map((read) => queries.invalidateQueries({ queryKey: [read] })))
  }
}
