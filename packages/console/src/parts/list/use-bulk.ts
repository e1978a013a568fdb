import { useQueryClient } from '@tanstack/react-query'
import type { OperationId } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import { useToast } from '../dialog/toast.tsx'
import { useFormat } from '../value/use-format.ts'
import { text } from './text.ts'

/** Applies an action to each of several items. Failures do not stop the rest, and are reported afterwards. */
export const useBulk = (refreshes: readonly OperationId[]) => {
  const say = useText(text)
  const toast = useToast()
  const { number } = useFormat()
  const queries = useQueryClient()
  return async <Row>(rows: readonly Row[], act: (row: Row) => Promise<unknown>): Promise<void> => {
    const failures: unknown[] = []
    for (const row of rows) await act(row).catch((error: unknown) => failures.push(error))
    await Promise.all(refreshes.map((read) => queries.invalidateQueries({ queryKey: [read] })))
    if (failures.length > 0) toast.failed(failures[0])
    if (failures.length < rows.length) toast.done(say.done(number(rows.length - failures.length)))
  }
}
