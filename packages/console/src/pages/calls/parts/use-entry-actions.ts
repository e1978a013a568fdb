import { useWrite, type InputOf, type OperationId } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import type { HistoryEntry } from './history-entry.ts'
import { text } from './text.ts'
import { useHistoryOf } from './use-history-of.ts'

type Change = InputOf<'changeHistoryEntry'>[1]

/** Reads of the history, here and on other pages. */
export const historyReads: readonly OperationId[] = ['listHistory', 'getHistoryEntry', 'listOwnHistory', 'getOwnHistoryEntry']

/** Actions on a history entry. `onRemoved`: called after its removal. */
export const useEntryActions = ({ id: entryId }: HistoryEntry, onRemoved?: () => void) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const { userId = '' } = useHistoryOf()
  const write = useWrite('changeHistoryEntry', { refreshes: historyReads })
  const erase = useWrite('deleteHistoryEntry', {
    refreshes: ['listHistory', 'listOwnHistory'],
    onDone: () => (toast.done(say.removed), onRemoved?.()),
  })
  return {
    change: (change: Change, onDone?: () => void) =>
      write.mutate([{ userId, entryId }, change], { onError: toast.failed, onSuccess: () => onDone?.() }),
    remove: async () => {
      const sure = await confirm({ title: say.removeTitle, body: say.removeBody, confirm: say.remove })
      if (sure) erase.mutate([{ userId, entryId }], { onError: toast.failed })
    },
    isPending: write.isPending || erase.isPending,
  }
}
