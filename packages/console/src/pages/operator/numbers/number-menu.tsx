import { useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { text } from './text.ts'

export type OperatorNumber = OutputOf<'listAllNumbers'>['items'][number]

/** What the operator can do with a number in its state. */
export const NumberMenu = ({ number: { id: numberId, number, state, type } }: { number: OperatorNumber }) => {
  const say = useText(text)
  const { actionsFor, saved } = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const after = { refreshes: ['listAllNumbers'] as const, onDone: () => toast.done(saved) }
  const deactivate = useWrite('deactivateNumber', after)
  const reactivate = useWrite('reactivateNumber', after)
  const confirmIt = useWrite('confirmNumber', after)
  const release = useWrite('releaseNumber', after)
  const onError = toast.failed
  const askDeactivate = async (): Promise<void> => {
    if (await confirm({ title: say.deactivateTitle(number), body: say.deactivateBody, confirm: say.deactivate }))
      deactivate.mutate([{ numberId }], { onError })
  }
  const askRelease = async (): Promise<void> => {
    if (await confirm({ title: say.releaseTitle(number), body: say.releaseBody, confirm: say.release }))
      release.mutate([{ numberId }], { onError })
  }
  if (type === 'QUICKDIAL') return null
  const actions: MenuAction[] = [
    ...(state === 'ADDRESS_PENDING'
      ? [{ label: say.confirmAddress, icon: 'check' as const, onClick: () => confirmIt.mutate([{ numberId }], { onError }) }]
      : []),
    ...(state === 'DEACTIVATED'
      ? [{ label: say.reactivate, icon: 'play' as const, onClick: () => reactivate.mutate([{ numberId }], { onError }) }]
      : [{ label: say.deactivate, icon: 'pause' as const, onClick: () => void askDeactivate(), disabled: state.startsWith('PORT') }]),
    { label: say.release, icon: 'trash', onClick: () => void askRelease(), danger: true },
  ]
  return <RowMenu label={actionsFor(number)} actions={actions} />
}
