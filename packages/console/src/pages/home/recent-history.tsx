import { Button, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { otherParty } from '#api/other-party.ts'
import { useMe } from '#api/use-me.ts'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useFormat, type Format } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Entry = OutputOf<'listHistoryV1'>['items'][number]
type Said = (typeof text)['en']

/** The last things that happened on the phones of the user. */
export const RecentHistory = () => {
  const say = useText(text)
  const format = useFormat()
  const userId = useMe()?.id ?? ''
  // Nobody needs to know how many there are, and counting them all takes long.
  const history = useRead('listHistoryV1', { userId, limit: 6 }, { every: 10_000, when: userId !== '' })
  const all = (
    <Button component={Link} href="/calls" variant="subtle" size="xs">
      {say.allCalls}
    </Button>
  )
  return (
    <Section title={say.recent} actions={all} flush>
      <Loaded query={history}>
        {({ items }) => (
          <List
            name="recent"
            label={say.recent}
            rows={items}
            columns={columns(say, format)}
            rowKey={({ id }) => id}
            rowTo={({ callId }) => (callId === undefined ? undefined : `/calls/${callId}`)}
            empty={
              <EmptyState icon="history" title={say.recentEmpty}>
                {say.recentEmptyBody}
              </EmptyState>
            }
          />
        )}
      </Loaded>
    </Section>
  )
}

const columns = (say: Said, format: Format): Column<Entry>[] => [
  { key: 'who', header: say.who, cell: (entry) => partner(entry, say, format) },
  { key: 'what', header: say.what, cell: (entry) => <Kind entry={entry} /> },
  { key: 'when', header: say.when, value: ({ created }) => created, cell: ({ created }) => <Time at={created} relative /> },
  {
    key: 'howLong',
    header: say.howLong,
    align: 'right',
    cell: ({ duration }) => (duration === undefined ? '–' : format.duration(duration * 1000)),
  },
]

const partner = (entry: Entry, say: Said, format: Format): string => {
  const { number, alias, contact } = otherParty(entry)
  if (contact) return contact.name
  return alias !== '' ? alias : number === '' || number === 'anonymous' ? say.anonymous : format.phone(number)
}

/** What it was, and which assistant or line had it. */
const Kind = ({ entry: { type, direction, incoming, sourceAlias, targetAlias } }: { entry: Entry }) => {
  const say = useText(text)
  const missed = direction.startsWith('MISSED')
  const own = incoming ? targetAlias : sourceAlias
  return (
    <Group gap="xs">
      <StatusBadge tone={missed ? 'warning' : 'quiet'}>{missed ? `${say.kinds[type]}, ${say.missed}` : say.kinds[type]}</StatusBadge>
      <Text size="sm" c="dimmed">
        {own}
      </Text>
    </Group>
  )
}
