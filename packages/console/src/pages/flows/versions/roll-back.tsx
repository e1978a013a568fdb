import { Button } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** One click and a question: calls get what they had before. */
export const RollBack = ({ flowId, to }: { flowId: string; to: number }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const back = useWrite('rollBackAssistant', { refreshes: ['getRollout'], onDone: ({ stable }) => toast.done(say.rolledBack(stable)) })
  const ask = async (): Promise<void> => {
    if (!(await confirm({ title: say.rollBackTitle(to), body: say.rollBackBody, confirm: say.rollBack(to), danger: false }))) return
    back.mutate([{ aiFlowId: flowId }], { onError: (error) => toast.failed(error) })
  }
  return (
    <Button variant="default" leftSection={<Icon name="history" size={16} />} loading={back.isPending} onClick={() => void ask()}>
      {say.rollBack(to)}
    </Button>
  )
}
