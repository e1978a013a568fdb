import { Box, Button, ActionIcon, Group, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useEffectEvent, type ReactNode, useRef, useState } from 'react'
import { useLanguage, useText } from '#words/use-text.tsx'
import { ErrorNotice } from '../form/error-notice.tsx'
import { EmptyState } from '../page/empty-state.tsx'
import { Loaded, WaitingRows } from '../page/loaded.tsx'
import type { BulkAction, Column, Filter } from './columns.ts'
import { findRows } from './find-rows.ts'
import { ListBar } from './list-bar.tsx'
import classes from './list.module.css'
import { ListTable } from './table.tsx'
import { useSelection, type Selection } from './table.tsx'
import { text } from './text.ts'
import { useListState, type ListState } from './use-list-state.ts'
import type { Pages } from './use-pages.ts'
import { Icon } from '../icon/icon.tsx'
import { useFormat } from '../value/use-format.ts'

interface ListProps<Row> {
  /** For screen readers: the listed items. */
  label: string
  /** If a page has several lists: separates their state in the address. */
  name?: string
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  /** Makes the first cell a link, if there is a page to open. */
  rowTo?: (row: Row) => string | undefined
  /** In place of an address: the action on opening a row. The first cell becomes a button. */
  onOpen?: (row: Row) => void
  /** Buttons at the end of a row. */
  rowActions?: (row: Row) => ReactNode
  /** Shown in place of an empty list: an `EmptyState`. */
  empty: ReactNode
  /** Placeholder of the search field. Paged lists have a search only with it, since the service must support it. */
  search?: string
  filters?: readonly Filter<Row>[]
  bulk?: readonly BulkAction<Row>[]
  /** The CSV file, if the service makes a better one. */
  file?: () => Promise<Blob>
}

/** All rows, a query with all rows, or pages: then the service searches, filters and sorts. */
type ListSource<Row> = { rows: readonly Row[] } | { query: UseQueryResult<{ items: Row[] }> } | { pages: Pages<Row> }

/** A list with search, sorting, filters and pages; a table, or cards on narrow screens. */
export const List = <Row,>(props: ListProps<Row> & ListSource<Row>) => {
  if ('rows' in props) return <Shown {...props} />
  if ('query' in props) return <Loaded query={props.query}>{({ items }) => <Shown {...props} rows={items} />}</Loaded>
  const { rows } = props.pages
  return rows === undefined ? <NotYet {...props} /> : <Shown {...props} rows={rows} />
}

/** Keeps the search field, so that an invalid search can be corrected. */
const NotYet = <Row,>({ pages, ...list }: ListProps<Row> & { pages: Pages<Row> }) => {
  const state = useListState(list.name)
  return (
    <Box className={classes.frame}>
      {list.search !== undefined && <ListBar {...list} state={state} found={[]} total={undefined} pages={pages} />}
      {pages.error ? <ErrorNotice error={pages.error} onRetry={pages.retry} /> : <WaitingRows />}
    </Box>
  )
}

const pageSize = 50
/** Rows; shorter lists need no search. */
const glance = 8

const Shown = <Row,>({ rows, pages, ...list }: ListProps<Row> & { rows: readonly Row[]; pages?: Pages<Row> }) => {
  const { language } = useLanguage()
  const { name, columns, filters = [], bulk = [], rowKey, empty } = list
  const state = useListState(name)
  const wanted = JSON.stringify([state.search, ...filters.map(({ key }) => state.filter(key))])
  const selection = useSelection(rowKey, wanted)
  const found = pages ? rows : findRows(rows, state, { columns, filters, language })
  const isNarrowed = state.search !== '' || filters.some(({ key }) => state.filter(key) !== '')
  const count = Math.ceil(found.length / pageSize)
  useMorePages(pages, state.page > count - 1)
  if (rows.length === 0 && !isNarrowed) return empty
  const page = Math.max(1, Math.min(state.page, count))
  const shown = found.slice((page - 1) * pageSize, page * pageSize)
  const total = pages ? pages.total : rows.length
  const isGlance = rows.length <= glance && !isNarrowed && (pages === undefined || (list.search === undefined && pages.more === undefined))
  const chosen = found.filter((row) => selection.has(row))
  return (
    <Box className={classes.frame}>
      {!isGlance && <ListBar {...list} state={state} found={found} total={total} pages={pages} />}
      {found.length === 0 ? (
        <NoHits onReset={() => state.set({ q: '', ...Object.fromEntries(filters.map(({ key }) => [key, ''])) })} />
      ) : (
        <ListTable {...list} rows={shown} state={state} isPaged={pages !== undefined} selection={bulk.length > 0 ? selection : undefined} />
      )}
      <Pager
        state={state}
        page={page}
        size={pageSize}
        found={found.length}
        total={isNarrowed && !pages ? found.length : total}
        hasMore={pages?.more !== undefined}
      />
      {chosen.length > 0 && (
        <BulkBar actions={bulk} rows={chosen} found={found} total={pages ? total : found.length} selection={selection} />
      )}
    </Box>
  )
}

/** Prefetches the next page while the last loaded one is shown. */
const useMorePages = (pages: Pages<unknown> | undefined, isLast: boolean): void => {
  const canFetch = isLast && pages?.more !== undefined
  const fetchMore = useEffectEvent(() => pages?.more?.())
  const loaded = pages?.rows?.length
  useEffect(() => {
    if (canFetch) fetchMore()
  }, [canFetch, loaded])
}

const NoHits = ({ onReset }: { onReset: () => void }) => {
  const say = useText(text)
  const reset = (
    <Button variant="default" size="xs" onClick={onReset}>
      {say.resetAll}
    </Button>
  )
  return (
    <EmptyState icon="search" title={say.noHits} action={reset}>
      {say.noHitsBody}
    </EmptyState>
  )
}

interface PagerProps {
  state: ListState
  page: number
  size: number
  /** Number of loaded matches. */
  found: number
  /** Total number; undefined while unknown. */
  total: number | undefined
  hasMore: boolean
}

/** Page navigation of a list. */
const Pager = ({ state, page, size, found, total, hasMore }: PagerProps) => {
  const say = useText(text)
  const { number } = useFormat()
  const bar = useRef<HTMLDivElement>(null)
  const last = Math.ceil(found / size)
  if (last <= 1 && !hasMore) return null
  const turnTo = (wanted: number): void => {
    state.set({ page: wanted === 1 ? '' : String(wanted) })
    bar.current?.parentElement?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Group ref={bar} gap="xs" justify="flex-end" className={classes.pager} role="group" aria-label={say.pages}>
      <Text size="sm" c="dimmed">
        {say.range(
          number((page - 1) * size + 1),
          number(Math.min(page * size, found)),
          total === undefined ? say.more(number(found)) : number(Math.max(total, found)),
        )}
      </Text>
      <ActionIcon variant="default" aria-label={say.previous} disabled={page <= 1} onClick={() => turnTo(page - 1)}>
        <Icon name="chevronLeft" size={16} />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={say.next} disabled={page >= last} onClick={() => turnTo(page + 1)}>
        <Icon name="chevronRight" size={16} />
      </ActionIcon>
    </Group>
  )
}

interface BulkBarProps<Row> {
  actions: readonly BulkAction<Row>[]
  /** Selected rows. */
  rows: readonly Row[]
  /** All selectable rows. */
  found: readonly Row[]
  /** Total number of matches, including rows not loaded yet; undefined if there are too many to count. */
  total: number | undefined
  selection: Selection<Row>
}

/** Maximum changes per request of the service. */
const maxConcurrent = 10_000

/** Actions on the selected rows; stays visible at the bottom of the list. */
const BulkBar = <Row,>(bar: BulkBarProps<Row>) => {
  const { actions, rows, total, selection } = bar
  const say = useText(text)
  const { number } = useFormat()
  const [running, setRunning] = useState<string>()
  const run = async (action: BulkAction<Row>): Promise<void> => {
    setRunning(action.label)
    try {
      if (selection.isOfAll && action.runAll && total !== undefined) {
        await action.runAll(total)
        // Rows that arrive later must not be selected.
        selection.clear()
      } else await action.run(rows)
    } finally {
      setRunning(undefined)
    }
  }
  return (
    <Group gap="xs" className={classes.bulk} role="group" aria-label={say.bulk}>
      <Text size="sm" fw={600} role="status">
        {say.selected(number(selection.isOfAll && total !== undefined ? total : rows.length))}
      </Text>
      <More {...bar} />
      {actions.map((action) => (
        <Button
          key={action.label}
          size="compact-sm"
          variant="default"
          loading={running === action.label}
          disabled={running !== undefined && running !== action.label}
          onClick={() => void run(action)}
          {...(action.danger && { c: 'var(--mantine-color-error)' })}
        >
          {action.label}
        </Button>
      ))}
      <Button size="compact-sm" variant="subtle" color="gray" ml="auto" onClick={selection.clear}>
        {say.unselect}
      </Button>
    </Group>
  )
}

/** Selects the remaining rows, or all matches without loading them. */
const More = <Row,>({ actions, rows, found, total, selection }: BulkBarProps<Row>) => {
  const say = useText(text)
  const { number } = useFormat()
  if (selection.isOfAll) return null
  const isLonger = total === undefined || total > found.length
  if (!isLonger || !actions.every(({ runAll }) => runAll))
    return (
      found.length > rows.length && (
        <Button size="compact-sm" variant="subtle" onClick={() => selection.set(found, true)}>
          {say.selectAll(number(found.length))}
        </Button>
      )
    )
  if (total === undefined || total > maxConcurrent)
    return (
      <Text size="sm" c="dimmed">
        {say.tooMany(number(maxConcurrent))}
      </Text>
    )
  return (
    <Button size="compact-sm" variant="subtle" onClick={selection.setAll}>
      {say.selectFound(number(total))}
    </Button>
  )
}
