import { Button, Group } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text as routingText } from '#lazy-parts/routing/text.ts'
import { text as accountText } from '../parts/text.ts'
import type { PhoneNumberRow } from './route-form.tsx'
import { orderText } from './order-text.ts'
import { text } from './text.ts'

const routable = ({ state }: PhoneNumberRow): boolean => state === 'ACTIVE' || state === 'ADDRESS_PENDING'

interface NumberForms {
  onRoute: (number: PhoneNumberRow) => void
  onHours: (number: PhoneNumberRow) => void
}

export const useNumberActions = ({ onRoute, onHours }: NumberForms) => {
  const say = useText(text)
  const { actionsFor } = useText(accountText)
  const { menu: whenClosed } = useText(routingText)
  const toast = useToast()
  const confirm = useConfirm()
  const { phone } = useFormat()
  const change = useWrite('changeNumber', {
    refreshes: ['listNumbers'],
    onDone: (_, [, { releaseForMnp }]) => toast.done(releaseForMnp ? say.releasedDone : say.withdrawnDone),
  })
  const release = (id: string, releaseForMnp: boolean): void =>
    change.mutate([{ numberId: id }, { releaseForMnp }], { onError: (error) => toast.failed(error) })
  const askRelease = async ({ id, number }: PhoneNumberRow): Promise<void> => {
    const question = { title: say.releaseTitle(phone(number)), body: say.releaseBody, confirm: say.release }
    if (await confirm(question)) release(id, true)
  }
  const mnpAction = (number: PhoneNumberRow): MenuAction =>
    number.mnpState?.isReleased
      ? { label: say.withdraw, icon: 'lock', onClick: () => release(number.id, false) }
      : { label: say.release, icon: 'external', onClick: () => void askRelease(number) }
  const returnCredit = useGiveBack()
  const actionsOf = (number: PhoneNumberRow): MenuAction[] => [
    { label: whenClosed, icon: 'clock', onClick: () => onHours(number) },
    ...(number.mnpState ? [mnpAction(number)] : []),
    returnCredit(number),
  ]
  return (number: PhoneNumberRow) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {routable(number) && (
        <Button size="xs" variant="default" onClick={() => onRoute(number)} aria-label={say.routeOf(phone(number.number))}>
          {say.route}
        </Button>
      )}
      <RowMenu label={actionsFor(phone(number.number))} actions={actionsOf(number)} />
    </Group>
  )
}

/** The service says so when the number did not come from its stock. */
const useGiveBack = () => {
  const say = useText(orderText)
  const toast = useToast()
  const confirm = useConfirm()
  const { phone } = useFormat()
  const give = useWrite('returnNumber', { refreshes: ['listNumbers', 'listStock'], onDone: () => toast.done(say.givenBack) })
  const ask = async ({ id, number }: PhoneNumberRow): Promise<void> => {
    if (await confirm({ title: say.giveBackTitle(phone(number)), body: say.giveBackBody, confirm: say.giveBack }))
      give.mutate([{ numberId: id }], { onError: toast.failed })
  }
  return (number: PhoneNumberRow): MenuAction => ({ label: say.giveBack, icon: 'trash', onClick: () => void ask(number), danger: true })
}
