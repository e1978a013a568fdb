import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead, type InputOf } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#parts-of-few/people.ts'
import { UserPicker } from '#parts-of-few/user-picker.tsx'
import { HistoryFilters } from './history-filters.tsx'
import classes from './history-list.module.css'
import { HistoryTable } from './history-table.tsx'
import { text } from '../parts/text.ts'
import { useHistoryFilter } from './use-history-filter.ts'

const pageSize = 25

/** What is over: filtered, page by page. */
export const HistoryList = () => {
  const say = useText(text)
  const filter = useHistoryFilter()
  const whose = useWhose()
  const query = { ...filter.query, userId: whose.userId ?? '' }
  return (
    <Section title={say.history} description={say.historyLead} actions={<UserPicker whose={whose} />} flush>
      <HistoryFilters {...filter} />
      <HistoryPages key={JSON.stringify(query)} query={query} isFiltered={filter.isSet} />
    </Section>
  )
}

/** Entries that arrive meanwhile do not move the pages: each is asked for by where the one before ended. */
const HistoryPages = ({ query, isFiltered }: { query: InputOf<'listHistory'>[0]; isFiltered: boolean }) => {
  const [cursors, setCursors] = useState<readonly string[]>([])
  const cursor = cursors.at(-1)
  const wanted = { ...query, limit: pageSize, ...(cursor !== undefined && { cursor }) }
  const page = useRead('listHistory', wanted, { when: query.userId !== '' })
  return (
    <div className={classes.table}>
      <Loaded query={page}>
        {({ items, totalCount, nextCursor }) => (
          <>
            <HistoryTable entries={items} isFiltered={isFiltered} />
            <Paging
              first={cursors.length * pageSize}
              count={items.length}
              total={totalCount}
              onNewer={cursors.length > 0 ? () => setCursors(cursors.slice(0, -1)) : undefined}
              onOlder={nextCursor === undefined ? undefined : () => setCursors([...cursors, nextCursor])}
            />
          </>
        )}
      </Loaded>
    </div>
  )
}

interface PagingProps {
  first: number
  count: number
  total: number
  onNewer: (() => void) | undefined
  onOlder: (() => void) | undefined
}

const Paging = ({ first, count, total, onNewer, onOlder }: PagingProps) => {
  const say = useText(text)
  const { number } = useFormat()
  if (count === 0 && first === 0) return null
  return (
    <Group justify="space-between" className={classes.paging}>
      <Text size="sm" c="dimmed">
        {say.range(number(first + 1), number(first + count), number(Math.max(total, first + count)))}
      </Text>
      {(onNewer ?? onOlder) && (
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={!onNewer} onClick={onNewer} leftSection={<Icon name="chevronLeft" size={14} />}>
            {say.newer}
          </Button>
          <Button size="xs" variant="default" disabled={!onOlder} onClick={onOlder} rightSection={<Icon name="chevronRight" size={14} />}>
            {say.older}
          </Button>
        </Group>
      )}
    </Group>
  )
}
