import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { DataTable, type Column } from '#parts/table/data-table.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useReason } from '#parts/value/use-reason.ts'
import { FaxDetails } from './fax-details.tsx'
import { isUnderWay, toneOf, type FaxEntry } from './fax-entry.ts'
import { text } from './text.ts'
import { useOtherSide } from './use-other-side.ts'

const directions = { all: [], in: ['INCOMING', 'MISSED_INCOMING'], out: ['OUTGOING', 'MISSED_OUTGOING'] } as const
const which = ['all', 'in', 'out'] as const
const pageSize = 25

/** What was sent and received, the newest first. */
export const FaxList = () => {
  const say = useText(text)
  const [shown, setShown] = useState<(typeof which)[number]>('all')
  const [limit, setLimit] = useState(pageSize)
  const [open, setOpen] = useState<string>()
  const markRead = useMarkRead()
  const wanted = directions[shown]
  const query = { types: ['FAX' as const], limit, ...(wanted.length > 0 && { directions: [...wanted] }) }
  const faxes = useRead('listOwnHistory', query, { every: 2_000 })
  const choice = (
    <SegmentedControl
      aria-label={say.show}
      data={which.map((value) => ({ value, label: say.list[value] }))}
      value={shown}
      onChange={setShown}
    />
  )
  return (
    <Section title={say.faxes} actions={choice} flush>
      <Loaded query={faxes}>
        {({ items, totalCount }) => (
          <>
            <FaxTable entries={items} onOpen={(entry) => (setOpen(entry.id), markRead(entry))} />
            {totalCount > items.length && (
              <Group justify="center" p="md">
                <Button variant="default" onClick={() => setLimit(limit + pageSize)}>
                  {say.more}
                </Button>
              </Group>
            )}
          </>
        )}
      </Loaded>
      {open !== undefined && <FaxDetails key={open} faxId={open} onClose={() => setOpen(undefined)} />}
    </Section>
  )
}

/** A fax that is opened is no longer new. That it could not be noted is no reason to disturb whoever reads it. */
const useMarkRead = (): ((entry: FaxEntry) => void) => {
  const may = useMay()
  const change = useWrite('changeOwnHistoryEntry', { refreshes: ['listOwnHistory'] })
  return ({ id, incoming, read }) => {
    if (incoming && !read && may('CAN_CHANGE_HISTORY')) change.mutate([{ entryId: id }, { read: true }])
  }
}

const FaxTable = ({ entries, onOpen }: { entries: readonly FaxEntry[]; onOpen: (entry: FaxEntry) => void }) => {
  const say = useText(text)
  const otherSide = useOtherSide()
  const columns: Column<FaxEntry>[] = [
    { key: 'who', header: say.who, cell: (entry) => <Who entry={entry} /> },
    { key: 'when', header: say.when, cell: ({ created }) => <Time at={created} /> },
    { key: 'extent', header: say.extent, cell: ({ pageCount }) => (pageCount === undefined ? '–' : say.pages(pageCount)) },
    { key: 'state', header: say.state, cell: (entry) => <FaxState entry={entry} /> },
  ]
  return (
    <DataTable
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
