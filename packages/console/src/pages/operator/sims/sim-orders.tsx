import { SegmentedControl, Button, Group, Alert, Select } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useCountryName } from '#lazy-parts/country-select.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text as customerText } from '#pages/account/sims/text.ts'
import { AccountLink } from '../parts/account-link.tsx'
import { text as sharedText } from '../parts/text.ts'
import { text } from './text.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { IconName } from '#parts/icon/icon.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'

const tones: Record<SimOrder['state'], Tone> = {
  ORDERED: 'warning',
  PICKED: 'busy',
  SHIPPED: 'busy',
  DELIVERED: 'busy',
  ACTIVATED: 'good',
  CANCELLED: 'quiet',
}

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
          <List
            name="orders"
            label={say.orders}
            rows={items.filter(({ state }) => which === 'all' || moves[state].length > 0)}
            columns={columns}
            rowKey={({ id }) => id}
            rowActions={(order) => <SimOrderMenu order={order} />}
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

const useColumns = (): Column<SimOrder>[] => {
  const say = useText(text)
  const { account } = useText(sharedText)
  const { orderStates } = useText(customerText)
  const countryName = useCountryName()
  return [
    { key: 'ordered', header: say.ordered, value: ({ orderedAt }) => orderedAt, cell: ({ orderedAt }) => <Time at={orderedAt} relative /> },
    {
      key: 'account',
      header: account,
      value: ({ accountId }) => accountId,
      cell: ({ accountId }) => <AccountLink accountId={accountId} />,
    },
    {
      key: 'to',
      header: say.to,
      cell: ({ address: { streetAddress, postalCode, locality, country } }) =>
        `${streetAddress}, ${postalCode} ${locality}, ${countryName(country)}`,
    },
    { key: 'card', header: say.card, cell: ({ simId }) => simId ?? '–' },
    {
      key: 'state',
      header: say.state,
      value: ({ state }) => orderStates[state],
      cell: ({ state }) => <StatusBadge tone={tones[state]}>{orderStates[state]}</StatusBadge>,
    },
  ]
}

type SimOrder = OutputOf<'listAllSimOrders'>['items'][number]

type Move = 'pick' | 'ship' | 'deliver' | 'activate' | 'cancel'

/** The same transitions as in the service, which decides. */
const moves: Record<SimOrder['state'], readonly Move[]> = {
  ORDERED: ['pick', 'cancel'],
  PICKED: ['ship', 'cancel'],
  SHIPPED: ['deliver', 'activate', 'cancel'],
  DELIVERED: ['activate', 'cancel'],
  ACTIVATED: [],
  CANCELLED: [],
}

const icons: Record<Move, IconName> = { pick: 'sim', ship: 'send', deliver: 'check', activate: 'play', cancel: 'x' }

const SimOrderMenu = ({ order: { id: orderId, state } }: { order: SimOrder }) => {
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

/** A card from the stock for an order. */
const PickCard = ({ orderId, onClose }: { orderId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const stock = useRead('listSimCards', { state: 'STOCK' })
  const pick = useWrite('moveSimOrder', {
    refreshes: ['listAllSimOrders', 'listSimCards'],
    onDone: () => {
      toast.done(say.moved)
      onClose()
    },
  })
  const form = useForm({ iccid: null as string | null }, pick.error)
  const { iccid } = form.values
  const submit = (): void => pick.mutate([{ orderId }, { event: 'pick', ...(iccid !== null && { iccid }) }])
  const cards = (stock.data?.items ?? []).map((card) => card.iccid)
  return (
    <FormModal
      opened
      title={say.pickTitle}
      onClose={onClose}
      onSubmit={submit}
      submit={say.moves.pick}
      pending={pick.isPending}
      error={pick.error}
    >
      {stock.data && cards.length === 0 && <Alert color="yellow">{say.noStock}</Alert>}
      <Select label={say.iccid} searchable required data={cards} {...form.value('iccid')} />
    </FormModal>
  )
}
