import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { IconName } from '#parts/icon/icon.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { PickCard } from './pick-card.tsx'
import { text } from './text.ts'

export type SimOrder = OutputOf<'listAllSimOrders'>['items'][number]

type Move = 'pick' | 'ship' | 'deliver' | 'activate' | 'cancel'

/** The same moves as the service's; it has the last word. */
export const moves: Record<SimOrder['state'], readonly Move[]> = {
  ORDERED: ['pick', 'cancel'],
  PICKED: ['ship', 'cancel'],
  SHIPPED: ['deliver', 'activate', 'cancel'],
  DELIVERED: ['activate', 'cancel'],
  ACTIVATED: [],
  CANCELLED: [],
}

const icons: Record<Move, IconName> = { pick: 'sim', ship: 'send', deliver: 'check', activate: 'play', cancel: 'x' }

export const SimOrderMenu = ({ order: { id: orderId, state } }: { order: SimOrder }) => {
  const say = useText(text)
  const { actionsFor } = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const [picking, setPicking] = useState(false)
  const move = useWrite('moveSimOrder', { refreshes: ['listAllSimOrders', 'listSimCards'], onDone: () => toast.done(say.moved) })
  const go = async (event: Move): Promise<void> => {
    if (event === 'pick') return setPicking(true)
    const question = { title: say.cancelTitle, body: say.cancelBody, confirm: say.moves.cancel }
    if (event !== 'cancel' || (await confirm(question))) move.mutate([{ orderId }, { event }], { onError: toast.failed })
    return undefined
  }
  const [next, ...others] = moves[state]
  if (next === undefined) return null
  const actions = others.map((event) => ({
    label: say.moves[event],
    icon: icons[event],
    onClick: () => void go(event),
    danger: event === 'cancel',
  }))
  return (
    <>
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Button size="xs" variant="default" loading={move.isPending} onClick={() => void go(next)}>
          {say.moves[next]}
        </Button>
        <RowMenu label={actionsFor(orderId)} actions={actions} />
      </Group>
      {picking && <PickCard orderId={orderId} onClose={() => setPicking(false)} />}
    </>
  )
}
