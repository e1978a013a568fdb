import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '#api/client.ts'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { draftOf, inputOf, withoutForeignHeaders } from './draft.ts'
import { useDraftForm, type DraftForm } from './use-draft-form.ts'

export type Assistant = OutputOf<'getAssistant'>

export interface Saving {
  form: DraftForm
  /** Revision that the form is based on. */
  revision: number
  /** Saves the form; resolves with whether it is saved. `overwrite`: overwrites changes of others. */
  save: (overwrite?: boolean) => Promise<boolean>
  pending: boolean
  error: ApiError | null
  /** Another person has saved since it was read. */
  isConflict: boolean
  /** Warnings of the service. */
  warnings: readonly string[]
  /** Discards the form. */
  take: (assistant: Assistant) => void
}

/** The draft of a flow as form state. Each save names its base revision, so that unseen changes are not overwritten. */
export const useSaving = (flowId: string, read: Assistant): Saving => {
  const queries = useQueryClient()
  const [revision, setRevision] = useState(read.revision)
  const [warnings, setWarnings] = useState<readonly string[]>([])
  const write = useWrite('changeAssistant', { refreshes: ['getAssistant'] })
  const form = useDraftForm(draftOf(read.settings), write.error)
  const save = async (overwrite = false): Promise<boolean> => {
    const sent = form.draft
    try {
      const reply = await write.mutateAsync([
        { aiFlowId: flowId },
        { settings: inputOf(withoutForeignHeaders(sent, form.began)), ...(!overwrite && { revision }) },
      ])
      setRevision(reply.revision)
      setWarnings(reply.warnings)
      form.saved(sent)
      return true
    } catch {
      // The error is in `error`; after a conflict the person needs the current version.
      await queries.invalidateQueries({ queryKey: ['getAssistant'] })
      return false
    }
  }
  return {
    form,
    revision,
    save,
    pending: write.isPending,
    error: write.error,
    isConflict: write.error instanceof ApiError && write.error.body.code === 'conflict',
    warnings,
    take: (assistant) => {
      write.reset()
      setRevision(assistant.revision)
      form.reset(draftOf(assistant.settings))
    },
  }
}
