import { Button, Group, Stack, Text } from '@mantine/core'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useReason } from '#parts/value/use-reason.ts'
import { isUnderWay, toneOf, type FaxEntry } from './fax-entry.ts'
import { text } from './text.ts'
import { useOtherSide } from './use-other-side.ts'

export const FaxTable = ({ entries, onOpen }: { entries: readonly FaxEntry[]; onOpen: (entry: FaxEntry) => void }) => {
  const say = useText(text)
  const otherSide = useOtherSide()
  const columns: Column<FaxEntry>[] = [
    { key: 'who', header: say.who, value: (entry) => otherSide(entry), cell: (entry) => <Who entry={entry} /> },
    { key: 'when', header: say.when, value: ({ created }) => created, cell: ({ created }) => <Time at={created} /> },
    { key: 'extent', header: say.extent, cell: ({ pageCount }) => (pageCount === undefined ? '–' : say.pages(pageCount)) },
    { key: 'state', header: say.state, cell: (entry) => <FaxState entry={entry} /> },
  ]
  return (
    <List
      label={say.faxes}
      rows={entries}
      columns={columns}
      rowKey={({ id }) => id}
      rowActions={(entry) => (
        <Button size="xs" variant="default" aria-label={say.openOf(otherSide(entry))} onClick={() => onOpen(entry)}>
          {say.open}
        </Button>
      )}
      empty={
        <EmptyState icon="fax" title={say.empty}>
          {say.emptyBody}
        </EmptyState>
      }
    />
  )
}

const Who = ({ entry }: { entry: FaxEntry }) => {
  const otherSide = useOtherSide()
  return (
    <Group gap="xs" wrap="nowrap" component="span">
      <Icon name={entry.incoming ? 'arrowDown' : 'arrowUp'} size={15} />
      <Text span inherit fw={entry.incoming && !entry.read ? 700 : undefined}>
        {otherSide(entry)}
      </Text>
    </Group>
  )
}

const FaxState = ({ entry }: { entry: FaxEntry }) => {
  const say = useText(text)
  const { incoming, faxStatusType = 'PENDING', pageCount = 0, pagesSent = 0, faxReason } = entry
  const reason = useReason(faxReason)
  const words = incoming ? (faxReason === undefined ? say.received : say.cutOff) : say.statuses[faxStatusType]
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge tone={toneOf(entry)} pulse={isUnderWay(entry)}>
        {words}
      </StatusBadge>
      {faxStatusType === 'SENDING' && pageCount > 0 && !incoming && <Text size="xs">{say.pagesSent(pagesSent, pageCount)}</Text>}
      {reason !== undefined && faxStatusType !== 'SENT' && (
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </Stack>
  )
}
