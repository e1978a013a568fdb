import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useRead, type InputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { DeliveryDetails } from './delivery-details.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { text } from './text.ts'
import { useDeliveries } from './use-deliveries.ts'

type State = NonNullable<NonNullable<InputOf<'listDeliveries'>[0]>['state']>

const states = ['all', 'delivered', 'failed', 'superseded', 'dead'] as const

/** What the endpoint of a flow was told, and how that went. */
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

/** The one that the address names: where a failure is told there is a link to it. */
const OneDelivery = ({ flowId }: { flowId: string }) => {
  const [search, setSearch] = useSearchParams()
  const deliveryId = search.get('delivery') ?? ''
  const { data } = useRead('getDelivery', { aiFlowId: flowId, deliveryId }, { when: deliveryId !== '' })
  if (deliveryId === '' || !data) return null
  return <DeliveryDetails delivery={data} onClose={() => setSearch({})} />
}
