import { Text } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { DeliveryDetails } from './delivery-details.tsx'
import { text } from './text.ts'
import type { Delivery } from './use-deliveries.ts'

export interface DeliveryTableProps {
  flowId: string
  deliveries: readonly Delivery[]
  filtered: boolean
}

const tones = { delivered: 'good', failed: 'warning', superseded: 'quiet', dead: 'bad' } as const

export const DeliveryTable = ({ flowId, deliveries, filtered }: DeliveryTableProps) => {
  const say = useText(text)
  const [open, setOpen] = useState<Delivery>()
  const redeliver = useRedelivery(flowId)
  const columns: Column<Delivery>[] = [
    { key: 'event', header: say.event, value: ({ eventType }) => eventType, cell: ({ eventType }) => <code>{eventType}</code> },
    {
      key: 'state',
      header: say.state,
      value: ({ state }) => say.states[state],
      cell: ({ state }) => <StatusBadge tone={tones[state]}>{say.states[state]}</StatusBadge>,
    },
    { key: 'at', header: say.at, value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
    { key: 'channel', header: say.channel, cell: ({ channel }) => say.channels[channel] },
    { key: 'answer', header: say.answer, cell: (delivery) => <Answered delivery={delivery} /> },
    {
      key: 'duration',
      header: say.duration,
      align: 'right',
      cell: ({ attempt, durationMs }) => (attempt === 0 ? say.none : `${durationMs} ms`),
    },
  ]
  const actionsFor = (delivery: Delivery): MenuAction[] => [
    { label: say.details, icon: 'info', onClick: () => setOpen(delivery) },
    ...(redeliver && canRedeliver(delivery)
      ? [{ label: say.again, icon: 'refresh', onClick: () => void redeliver(delivery) } as const]
      : []),
  ]
  const empty = (
    <EmptyState icon="list" title={filtered ? say.emptyFiltered : say.emptyTitle}>
      {filtered ? undefined : say.empty}
    </EmptyState>
  )
  return (
    <>
      <List
        label={say.title}
        rows={deliveries}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        rowActions={(delivery) => <RowMenu label={say.actionsFor(delivery.eventType)} actions={actionsFor(delivery)} />}
        empty={empty}
      />
      {open && <DeliveryDetails delivery={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

/** Other events make no sense later. */
const canRedeliver = ({ eventType, state }: Delivery): boolean =>
  eventType === 'session_end' && (state === 'dead' || state === 'delivered')

/** Why it failed says more than a status, and is the one problem then. */
const Answered = ({ delivery: { attempt, status, actions, problems, error } }: { delivery: Delivery }) => {
  const say = useText(text)
  const answered = [status, actions.join(', '), attempt === 0 && say.notTried, problems.length > 0 && say.problems(problems.length)]
  return (
    <Text size="sm" component="div" lineClamp={2} maw={320}>
      {error ?? (answered.filter(Boolean).join(' · ') || say.none)}
    </Text>
  )
}

/** Undefined without the permission. */
const useRedelivery = (flowId: string): ((delivery: Delivery) => Promise<void>) | undefined => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const may = useMay()
  const redeliver = useWrite('redeliver', { refreshes: ['listDeliveries'] })
  if (!may('CAN_CHANGE_FLOWS')) return undefined
  return async ({ id }) => {
    if (!(await confirm({ title: say.againTitle, body: say.againBody, confirm: say.again }))) return
    const notified = { onSuccess: () => toast.done(say.againDone), onError: (error: Error) => toast.failed(error) }
    redeliver.mutate([{ aiFlowId: flowId, deliveryId: id }], notified)
  }
}
