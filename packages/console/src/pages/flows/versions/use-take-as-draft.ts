import { useLocation } from 'wouter'
import { api } from '#api/client.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { draftOf } from '../assistant/draft.ts'
import { text } from './text.ts'

/** Puts what a version says into the draft, after asking, and opens it. */
export const useTakeAsDraft = (flowId: string): ((version: number) => Promise<void>) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const [, go] = useLocation()
  const write = useWrite('changeAssistant', { refreshes: ['getAssistant'] })
  return async (version) => {
    if (!(await confirm({ title: say.editTitle(version), body: say.editBody, confirm: say.edit }))) return
    try {
      const { settings } = await api.getAssistantVersion({ aiFlowId: flowId, version: `${version}` })
      await write.mutateAsync([{ aiFlowId: flowId }, { settings: draftOf(settings) }])
      toast.done(say.edited)
      go(`/flows/${flowId}/assistant`)
    } catch (error) {
      toast.failed(error)
    }
  }
}
