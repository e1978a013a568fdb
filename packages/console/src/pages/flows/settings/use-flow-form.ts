import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '#api/client.ts'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { formOf, inputOf } from './flow-form.ts'
import { text } from './text.ts'

/** The settings of a flow during editing, with conflict detection. */
export const useFlowForm = (flow: Flow) => {
  const say = useText(text)
  const toast = useToast()
  const queries = useQueryClient()
  const change = useWrite('changeFlow', { refreshes: ['getFlow', 'listFlows', 'listFlowVersions'], onDone: () => toast.done(say.saved) })
  const form = useForm(formOf(flow), change.error)
  /** The version that the person has seen: edits are based on it. */
  const [seen, setSeen] = useState(flow)
  const follow = (): void => {
    setSeen(flow)
    form.reset(formOf(flow))
    change.reset()
  }
  if (flow.version !== seen.version && !form.changed && !change.isPending) follow()
  const save = (values = form.values, { version } = seen): void =>
    change.mutate([{ aiFlowId: flow.id }, inputOf(values), { ifMatch: `"${version}"` }], {
      onSuccess: () => form.reset({ ...values, apiKey: '', removeApiKey: false }),
      onError: () => void queries.invalidateQueries({ queryKey: ['getFlow'] }),
    })
  const isConflict = change.error instanceof ApiError && change.error.body.code === 'flow_changed'
  return { form, change, seen, save, isConflict, follow }
}
