import { Button, Group, NativeSelect, TextInput, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useRead, type InputOf, useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { DeliveryDetails } from './delivery-details.tsx'
import { useDeliveries, type Delivery } from './delivery-details.tsx'
import { text } from './text.ts'
import { useMay } from '#api/use-may.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'

type State = NonNullable<NonNullable<InputOf<'listDeliveries'>[0]>['state']>

const states = ['all', 'delivered', 'failed', 'superseded', 'dead'] as const

/** Delivery log of a flow's endpoint. */
export const DeliveriesPage = () => <FlowFrame tab="deliveries">{({ id }) => <Deliveries key={id} flowId={id} />}</FlowFrame>

const Deliveries = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const [state, setState] = useState<State | 'all'>('all')
  const [session, setSession] = useState('')
  const [sessionId] = useDebouncedValue(session.trim(), 300)
  const filtered = state !== 'all' || sessionId !== ''
  const log = useDeliveries(flowId, { ...(state !== 'all' && { state }), ...(sessionId !== '' && { sessionId }) })
  return (
    <Section title={say.title} description={say.about} flush>
      <OneDelivery flowId={flowId} />
      <Group px="1.25rem" py="md" align="flex-end">
        <NativeSelect
          label={say.filter}
          data={states.map((value) => ({ value, label: say.states[value] }))}
          value={state}
          onChange={({ currentTarget }) => setState(currentTarget.value as State | 'all')}
        />
        <TextInput
          label={say.session}
          placeholder={say.sessionHint}
          value={session}
          onChange={({ currentTarget }) => setSession(currentTarget.value)}
          style={{ flex: '1 1 220px' }}
        />
      </Group>
      {log.error && <ErrorNotice error={log.error} onRetry={() => void log.refetch()} />}
      {log.isPending ? <WaitingRows /> : <DeliveryTable flowId={flowId} deliveries={log.deliveries} filtered={filtered} />}
      {log.hasNextPage && (
        <Group justify="center" p="md">
          <Button variant="default" onClick={() => void log.fetchNextPage()} loading={log.isFetchingNextPage}>
            {say.more}
          </Button>
        </Group>
      )}
    </Section>
  )
}

/** The delivery named in the address: links from failures lead here. */
const OneDelivery = ({ flowId }: { flowId: string }) => {
  const [search, setSearch] = useSearchParams()
  const deliveryId = search.get('delivery') ?? ''
  const { data } = useRead('getDelivery', { aiFlowId: flowId, deliveryId }, { when: deliveryId !== '' })
  if (deliveryId === '' || !data) return null
  return <DeliveryDetails delivery={data} onClose={() => setSearch({})} />
}

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

/** Other events are pointless later. */
const canRedeliver = ({ eventType, state }: Delivery): boolean => eventType === 'session_end' && (state === 'dead' || state === 'delivered')

/** The reason of a failure says more than a status, and is the only problem shown then. */
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
