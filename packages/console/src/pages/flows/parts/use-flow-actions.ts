import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import type { Flow } from './flow-state.tsx'
import { text } from './text.ts'

/** Deletes a flow after a confirmation; undefined without the permission. */
export const useRemoveFlow = (onDone: () => void = () => {}): ((flow: Pick<Flow, 'id' | 'name'>) => Promise<void>) | undefined => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const may = useMay()
  const remove = useWrite('deleteFlow', { refreshes: ['listFlows'] })
  if (!may('CAN_CHANGE_FLOWS')) return undefined
  return async ({ id, name }) => {
    if (!(await confirm({ title: say.removeTitle(name), body: say.removeBody, confirm: say.remove, danger: true }))) return
    remove.mutate([{ aiFlowId: id }], {
      onSuccess: () => {
        toast.done(say.removed)
        onDone()
      },
      onError: (error) => toast.failed(error),
    })
  }
}
