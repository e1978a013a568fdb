import { Button, Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useCountryName } from '#parts-of-few/country-select.tsx'
import { DataTable, type Column } from '#parts/table/data-table.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import type { IconName } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text as customerText } from '#pages/account/sims/text.ts'
import { AccountLink } from '../parts/account-link.tsx'
import { text as sharedText } from '../parts/text.ts'
import { PickCard } from './pick-card.tsx'
import { text } from './text.ts'

type Order = OutputOf<'listAllSimOrders'>['items'][number]
type Move = 'pick' | 'ship' | 'deliver' | 'activate' | 'cancel'

/** The same moves as the service's; it has the last word. */
const moves: Record<Order['state'], readonly Move[]> = {
  ORDERED: ['pick', 'cancel'],
  PICKED: ['ship', 'cancel'],
  SHIPPED: ['deliver', 'activate', 'cancel'],
  DELIVERED: ['activate', 'cancel'],
  ACTIVATED: [],
  CANCELLED: [],
}

const tones: Record<Order['state'], Tone> = {
  ORDERED: 'warning',
  PICKED: 'busy',
  SHIPPED: 'busy',
  DELIVERED: 'busy',
  ACTIVATED: 'good',
  CANCELLED: 'quiet',
}

const icons: Record<Move, IconName> = { pick: 'sim', ship: 'send', deliver: 'check', activate: 'play', cancel: 'x' }

export const SimOrders = () => {
  const say = useText(text)
  const orders = useRead('listAllSimOrders', {}, { every: 30_000 })
  const [which, setWhich] = useState('open')
  const columns = useColumns()
  const choices = [
    { value: 'open', label: say.open },
    { value: 'all', label: say.all },
  ]
  return (
    <Section
      title={say.orders}
      flush
      actions={<SegmentedControl size="xs" aria-label={say.filter} data={choices} value={which} onChange={setWhich} />}
    >
      <Loaded query={orders}>
        {({ items }) => (
          <DataTable
            label={say.orders}
            rows={items.filter(({ state }) => which === 'all' || moves[state].length > 0)}
            columns={columns}
            rowKey={({ id }) => id}
            rowActions={(order) => <OrderMenu order={order} />}
            empty={
              <EmptyState icon="sim" title={say.noOrder}>
                {say.noOrderHint}
              </EmptyState>
            }
          />
        )}
      </Loaded>
    </Section>
  )
}

const useColumns = (): Column<Order>[] => {
  const say = useText(text)
  const { account } = useText(sharedText)
  const { orderStates } = useText(customerText)
  const countryName = useCountryName()
  return [
    { key: 'ordered', header: say.ordered, cell: ({ orderedAt }) => <Time at={orderedAt} relative /> },
    { key: 'account', header: account, cell: ({ accountId }) => <AccountLink accountId={accountId} /> },
    {
      key: 'to',
      header: say.to,
      cell: ({ address: { streetAddress, postalCode, locality, country } }) =>
        `${streetAddress}, ${postalCode} ${locality}, ${countryName(country)}`,
    },
    { key: 'card', header: say.card, cell: ({ simId }) => simId ?? '–' },
    { key: 'state', header: say.state, cell: ({ state }) => <StatusBadge tone={tones[state]}>{orderStates[state]}</StatusBadge> },
  ]
}

const OrderMenu = ({ order: { id: orderId, state } }: { order: Order }) => {
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
  const deeds = others.map((event) => ({
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
        <RowMenu label={actionsFor(orderId)} deeds={deeds} />
      </Group>
      {picking && <PickCard orderId={orderId} onClose={() => setPicking(false)} />}
    </>
  )
}
