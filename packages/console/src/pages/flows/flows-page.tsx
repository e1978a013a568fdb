import { Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { endpointOf, FlowState, isAssistant, type ListedFlow } from './parts/flow-state.tsx'
import { LedNumbers } from './parts/led-numbers.tsx'
import { NewFlow } from './new-flow.tsx'
import { text } from './parts/text.ts'
import { useRemoveFlow } from './parts/use-flow-actions.ts'

/** All flows of the account. */
export const FlowsPage = () => {
  const say = useText(text)
  const may = useMay()
  const flows = useRead('listFlows', undefined, { every: 10_000 })
  const [creating, setCreating] = useState(false)
  const create = may('CAN_CHANGE_FLOWS') ? <AddButton onClick={() => setCreating(true)}>{say.create}</AddButton> : undefined
  return (
    <Page title={say.title} description={say.about} actions={create}>
      <Section flush>
        <Loaded query={flows}>{({ items }) => <FlowTable flows={items} create={create} />}</Loaded>
      </Section>
      {creating && <NewFlow onClose={() => setCreating(false)} />}
    </Page>
  )
}

/** To what is changed most often. */
const pathOf = (flow: ListedFlow): string => `/flows/${flow.id}${isAssistant(flow) ? '/assistant' : ''}`

const FlowTable = ({ flows, create }: { flows: readonly ListedFlow[]; create: React.ReactNode }) => {
  const say = useText(text)
  const columns: Column<ListedFlow>[] = [
    { key: 'name', header: say.name, cell: ({ name }) => name },
    { key: 'state', header: say.state, cell: (flow) => <FlowState flow={flow} /> },
    { key: 'numbers', header: say.numbers, cell: ({ id }) => <LedNumbers flowId={id} /> },
    {
      key: 'endpoint',
      header: say.endpoint,
      value: (flow) => endpointOf(flow, say),
      cell: (flow) => (
        <Text size="sm" c="dimmed" truncate maw={320}>
          {endpointOf(flow, say)}
        </Text>
      ),
    },
  ]
  const empty = (
    <EmptyState icon="flow" title={say.emptyTitle} action={create}>
      {say.empty}
    </EmptyState>
  )
  return (
    <List
      label={say.title}
      rows={flows}
      columns={columns}
      rowKey={({ id }) => id}
      rowTo={pathOf}
      rowActions={(flow) => <FlowMenu flow={flow} />}
      empty={empty}
    />
  )
}

const FlowMenu = ({ flow }: { flow: ListedFlow }) => {
  const say = useText(text)
  const [, go] = useLocation()
  const remove = useRemoveFlow()
  const actions = [
    { label: say.talk, icon: 'microphone', onClick: () => go(`/talk/${flow.id}`) },
    ...(isAssistant(flow)
      ? ([{ label: say.results, icon: 'list', onClick: () => go(`/flows/${flow.id}/results`) }] as const)
      : ([
          { label: say.test, icon: 'bolt', onClick: () => go(`/flows/${flow.id}/test`) },
          { label: say.log, icon: 'list', onClick: () => go(`/flows/${flow.id}/deliveries`) },
        ] as const)),
    ...(remove ? [{ label: say.remove, icon: 'trash', onClick: () => void remove(flow), danger: true } as const] : []),
  ] as const
  return <RowMenu label={say.actionsFor(flow.name)} actions={actions} />
}
