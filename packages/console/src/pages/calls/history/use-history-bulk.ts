import { api } from '#api/client.ts'
import { useMay } from '#api/use-may.ts'
import type { InputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { BulkAction } from '#parts/list/columns.ts'
import { useBulk } from '#parts/list/use-bulk.ts'
import { useText } from '#words/use-text.tsx'
import type { HistoryEntry } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'
import { historyReads } from '../parts/use-entry-actions.ts'

/** What can be done with several entries of the history at once. */
export const useHistoryBulk = (userId: string): BulkAction<HistoryEntry>[] => {
  const say = useText(text)
  const confirm = useConfirm()
  const doAll = useBulk(historyReads)
  const mayChange = useMay()('CAN_CHANGE_HISTORY')
  const change = (change: InputOf<'changeHistoryEntry'>[1]) => (entries: readonly HistoryEntry[]) =>
    doAll(entries, ({ id: entryId }) => api.changeHistoryEntry({ userId, entryId }, change))
  const remove = async (entries: readonly HistoryEntry[]): Promise<void> => {
    if (await confirm({ title: say.removeManyTitle(entries.length), body: say.removeManyBody, confirm: say.remove }))
      await doAll(entries, ({ id: entryId }) => api.deleteHistoryEntry({ userId, entryId }))
  }
  if (!mayChange) return []
  return [
    { label: say.markRead, run: change({ read: true }) },
    { label: say.star, run: change({ starred: true }) },
    { label: say.archive, run: change({ archived: true }) },
    { label: say.remove, danger: true, run: remove },
  ]
}
