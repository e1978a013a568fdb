import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Text } from '@mantine/core'
import type { Column } from '#parts/list/columns.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { text } from './text.ts'

/** The processes of the installation, and their load. */
export const NodesPage = () => {
  const say = useText(text)
  const nodes = useRead('listNodes', {}, { every: 3_000 })
  const columns = useNodeColumns()
  const isLast = (node: ServiceNode): boolean => !nodes.data?.items.some(({ id, state }) => id !== node.id && state === 'RUNNING')
  return (
    <Page title={say.title} description={say.description}>
      <Section flush>
        <List
          query={nodes}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          rowActions={(node) => <NodeMenu node={node} isLast={isLast(node)} />}
          empty={
            <EmptyState icon="node" title={say.none}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
    </Page>
  )
}

export const NodeMenu = ({ node, isLast }: { node: ServiceNode; isLast: boolean }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const drain = useWrite('drainNode', {
    refreshes: ['listNodes'],
    onDone: (_reply, [, { value }]) => toast.done(value ? say.drained : say.undrained),
  })
  const set = (value: boolean): void => drain.mutate([{ nodeId: node.id }, { value }], { onError: toast.failed })
  const ask = async (): Promise<void> => {
    const body = `${say.drainBody(node.calls)} ${isLast ? say.drainLast : ''}`
    if (await confirm({ title: say.drainTitle(nameOf(node)), body, confirm: say.drain })) set(true)
  }
  if (node.state === 'GONE' || node.state === 'STOPPING') return null
  const action =
    node.state === 'RUNNING'
      ? { label: say.drain, icon: 'pause' as const, onClick: () => void ask(), danger: true }
      : { label: say.undrain, icon: 'play' as const, onClick: () => set(false) }
  return <RowMenu label={say.actionsFor(nameOf(node))} actions={[action]} />
}

export type ServiceNode = OutputOf<'listNodes'>['items'][number]

/** Several processes on one machine have the same name. */
export const nameOf = ({ name, http }: ServiceNode): string => `${name} (${placeOf(http)})`

const placeOf = (url: string): string => url.replace(/^https?:\/\//, '')

const tones: Record<ServiceNode['state'], Tone> = { RUNNING: 'good', DRAINING: 'busy', DRAINED: 'quiet', STOPPING: 'warning', GONE: 'bad' }

export const useNodeColumns = (): Column<ServiceNode>[] => {
  const say = useText(text)
  const format = useFormat()
  const inPercent = (part: number): string => `${format.number(100 * part)} %`
  return [
    { key: 'name', header: say.name, value: ({ name }) => name, cell: (node) => <NodeName node={node} />, wraps: true },
    {
      key: 'state',
      header: say.state,
      cell: ({ state }) => (
        <StatusBadge tone={tones[state]} pulse={state === 'DRAINING'}>
          {say.states[state]}
        </StatusBadge>
      ),
    },
    { key: 'calls', header: say.calls, align: 'right', cell: ({ calls }) => calls },
    { key: 'sessions', header: say.sessions, align: 'right', cell: ({ sessions }) => sessions },
    { key: 'faxes', header: say.faxes, align: 'right', cell: ({ faxes }) => faxes },
    {
      key: 'load',
      header: say.load,
      wraps: true,
      cell: ({ load }) => (
        <div>
          <Text size="sm">{say.loadWords(inPercent(load.busy), format.bytes(load.memoryBytes))}</Text>
          <Text size="xs" c="dimmed">
            {say.processors(format.number(load.processors, 1))}
          </Text>
        </div>
      ),
    },
    {
      key: 'started',
      header: say.started,
      wraps: true,
      cell: ({ startedAt, seenAt }) => (
        <div>
          <Time at={startedAt} relative />
          <Text size="xs" c="dimmed">
            {say.seen(format.ago(seenAt))}
          </Text>
        </div>
      ),
    },
  ]
}

const NodeName = ({ node: { name, region, self, http, version } }: { node: ServiceNode }) => {
  const say = useText(text)
  return (
    <div>
      <Text fw={550} size="sm">
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {placeOf(http)} · {version}
        {region === undefined ? '' : ` · ${region}`}
        {self ? ` · ${say.self}` : ''}
      </Text>
    </div>
  )
}
