import { Box, Stack, Text } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { onOneLine } from '../addresses/addresses-page.tsx'
import { Track, type StepState } from '../parts/track.tsx'
import { text } from './text.ts'

export type SimOrder = OutputOf<'listSimOrders'>['items'][number]

const way = ['ORDERED', 'PICKED', 'SHIPPED', 'DELIVERED', 'ACTIVATED'] as const

export const isOpen = ({ state }: SimOrder): boolean => state !== 'ACTIVATED' && state !== 'CANCELLED'

const stateAt = (position: number, present: number): StepState => (position < present ? 'done' : position === present ? 'now' : 'ahead')

/** Progress of an open order, from stock into the phone. */
export const OpenOrder = ({ order, device }: { order: SimOrder; device: string }) => {
  const say = useText(text)
  const { moment, day } = useFormat()
  const present = way.findIndex((state) => state === order.state)
  const noteOf = (state: (typeof way)[number]): string | undefined => {
    if (state === 'ORDERED') return day(order.orderedAt)
    return state === order.state ? day(order.changedAt) : undefined
  }
  return (
    <Stack gap="md">
      <Text size="sm" fw={600} component="h3">
        {say.openOrder}
      </Text>
      <Track
        label={say.way(device)}
        steps={way.map((state, position) => ({
          key: state,
          label: say.orderStates[state],
          state: stateAt(position, present),
          note: noteOf(state),
        }))}
      />
      <Facts
        facts={[
          [say.orderedAt, moment(order.orderedAt)],
          [say.sentTo, onOneLine({ id: '', ...order.address })],
          [say.simId, order.simId],
        ]}
      />
    </Stack>
  )
}

export const EarlierOrders = ({ orders }: { orders: readonly SimOrder[] }) => {
  const say = useText(text)
  const columns: Column<SimOrder>[] = [
    { key: 'when', header: say.orderedAt, value: ({ orderedAt }) => orderedAt, cell: ({ orderedAt }) => <Time at={orderedAt} /> },
    {
      key: 'state',
      header: say.state,
      cell: ({ state }) => <StatusBadge tone={state === 'ACTIVATED' ? 'good' : 'quiet'}>{say.orderStates[state]}</StatusBadge>,
    },
    {
      key: 'changed',
      header: say.changedAt,
      value: ({ changedAt }) => changedAt,
      cell: ({ changedAt }) => <Time at={changedAt} />,
      wideOnly: true,
    },
    { key: 'card', header: say.simId, cell: ({ simId }) => simId ?? '–' },
  ]
  if (orders.length === 0) return null
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} component="h3">
        {say.earlier}
      </Text>
      <Box mx="-1.25rem">
        <List name="orders" label={say.earlier} rows={orders} columns={columns} rowKey={({ id }) => id} empty={null} />
      </Box>
    </Stack>
  )
}
