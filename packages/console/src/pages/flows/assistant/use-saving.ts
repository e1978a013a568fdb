import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '#api/client.ts'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { draftOf, inputOf } from './draft.ts'
import { useDraftForm, type DraftForm } from './use-draft-form.ts'

export type Assistant = OutputOf<'getAssistant'>

export interface Saving {
  form: DraftForm
  /** The one that the form builds on. */
  revision: number
  /** Whether what stands in the form is now what the service has. `over`: what somebody else has saved meanwhile is lost. */
  save: (ended?: boolean) => Promise<boolean>
  pending: boolean
  error: ApiError | null
  /** Somebody else has saved something since it was read. */
  isConflict: boolean
  /** What may not be meant so, as the service says. */
  warnings: readonly string[]
  /** Forgets what stands in the form. */
  take: (assistant: Assistant) => void
}

/** The draft of a flow in a form. Each save names the revision that it builds on, so that nobody overwrites what they have not seen. */
export const useSaving = (flowId: string, read: Assistant): Saving => {
  const queries = useQueryClient()
  const [revision, setRevision] = useState(read.revision)
  const [warnings, setWarnings] = useState<readonly string[]>([])
  const write = useWrite('changeAssistant', { refreshes: ['getAssistant'] })
  const form = useDraftForm(draftOf(read.settings), write.error)
  const save = async (ended = false): Promise<boolean> => {
    const sent = form.draft
    try {
      const reply = await write.mutateAsync([{ aiFlowId: flowId }, { settings: inputOf(sent), ...(!ended && { revision }) }])
      setRevision(reply.revision)
      setWarnings(reply.warnings)
      form.saved(sent)
      return true
    } catch {
      // It stands in `error`; who was too late wants to see what is there now.
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
