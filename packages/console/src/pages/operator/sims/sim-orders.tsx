import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '#api/use-service.ts'
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
import { type SimOrder, moves, SimOrderMenu } from './order-menu.tsx'

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
