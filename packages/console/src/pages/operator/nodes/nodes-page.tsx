import { Text } from '@mantine/core'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/table/data-table.tsx'
import { LoadedTable } from '#parts/table/loaded-table.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Node = OutputOf<'listNodes'>['items'][number]

/** Several on one machine have the same name. */
const nameOf = ({ name, http }: Node): string => `${name} (${placeOf(http)})`

const placeOf = (url: string): string => url.replace(/^https?:\/\//, '')

const tones: Record<Node['state'], Tone> = { RUNNING: 'good', DRAINING: 'busy', DRAINED: 'quiet', STOPPING: 'warning', GONE: 'bad' }

/** The processes of the installation, and what they have to do. */
export const NodesPage = () => {
  const say = useText(text)
  const nodes = useRead('listNodes', {}, { every: 3_000 })
  const columns = useColumns()
  const isLast = (node: Node): boolean => !nodes.data?.items.some(({ id, state }) => id !== node.id && state === 'RUNNING')
  return (
    <Page title={say.title} description={say.description}>
      <Section flush>
        <LoadedTable
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

const useColumns = (): Column<Node>[] => {
  const say = useText(text)
  const format = useFormat()
  const inPercent = (part: number): string => `${format.number(100 * part)} %`
  return [
    { key: 'name', header: say.name, cell: (node) => <NodeName node={node} /> },
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

const NodeName = ({ node: { name, self, http, version } }: { node: Node }) => {
  const say = useText(text)
  return (
    <div>
      <Text fw={550} size="sm">
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {placeOf(http)} · {version}
        {self ? ` · ${say.self}` : ''}
      </Text>
    </div>
  )
}

const NodeMenu = ({ node, isLast }: { node: Node; isLast: boolean }) => {
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
  const deed =
    node.state === 'RUNNING'
      ? { label: say.drain, icon: 'pause' as const, onClick: () => void ask(), danger: true }
      : { label: say.undrain, icon: 'play' as const, onClick: () => set(false) }
  return <RowMenu label={say.actionsFor(nameOf(node))} deeds={[deed]} />
}
