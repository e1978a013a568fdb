import { Text } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export type ServiceNode = OutputOf<'listNodes'>['items'][number]

/** Several on one machine have the same name. */
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

const NodeName = ({ node: { name, self, http, version } }: { node: ServiceNode }) => {
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
