import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { type ServiceNode, nameOf } from './use-node-columns.tsx'

export const NodeMenu = ({ node, isLast }: { node: ServiceNode; isLast: boolean }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const drain = useWrite('drainNode', {
    refreshes: ['listNodes'],
    onDone: (_reply, [, { value }]) => toast.done(value ? say.drained : say.undrained),
  })
  const set = (value: boolean): void => drain.mutate([{ nodeId: node.id }, { value }], { onError: toast.failed })
  const ask = async (): Promise<void> => {
    const body = `${say.drainBody(node.calls)} ${isLast ? say.drainLast : ''}`
    if (await confirm({ title: say.drainTitle(nameOf(node)), body, confirm: say.drain })) set(true)
  }
  if (node.state === 'GONE' || node.state === 'STOPPING') return null
  const action =
    node.state === 'RUNNING'
      ? { label: say.drain, icon: 'pause' as const, onClick: () => void ask(), danger: true }
      : { label: say.undrain, icon: 'play' as const, onClick: () => set(false) }
  return <RowMenu label={say.actionsFor(nameOf(node))} actions={[action]} />
}
