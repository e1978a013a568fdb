import { Box, Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useEffectEvent, type ReactNode } from 'react'
import { useLanguage, useText } from '#words/use-text.tsx'
import { ErrorNotice } from '../form/error-notice.tsx'
import { EmptyState } from '../page/empty-state.tsx'
import { Loaded, WaitingRows } from '../page/loaded.tsx'
import { BulkBar } from './bulk-bar.tsx'
import type { BulkAction, Column, Filter } from './columns.ts'
import { findRows } from './find-rows.ts'
import { ListBar } from './list-bar.tsx'
import classes from './list.module.css'
import { Pager } from './pager.tsx'
import { ListTable } from './table.tsx'
import { text } from './text.ts'
import { useListState } from './use-list-state.ts'
import type { Pages } from './use-pages.ts'
import { useSelection } from './use-selection.ts'

export interface ListProps<Row> {
  /** For screen readers: what is listed. */
  label: string
  /** Where a page has several lists: keeps their searches apart in the address. */
  name?: string
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  /** Makes the first cell a link, where there is something to open. */
  rowTo?: (row: Row) => string | undefined
  /** Instead of an address: what opening a row does. The first cell becomes a button. */
  onOpen?: (row: Row) => void
  /** Buttons at the end of a row. */
  rowActions?: (row: Row) => ReactNode
  /** Instead of the list when there is nothing in it: an `EmptyState`. */
  empty: ReactNode
  /** What stands in the empty search field. Lists that come in pages have one only with it, since the service must know how to search. */
  search?: string
  filters?: readonly Filter<Row>[]
  bulk?: readonly BulkAction<Row>[]
  /** The CSV file, where the service makes a better one than the columns do. */
  file?: () => Promise<Blob>
}

/** Everything, an answer that has everything, or what comes in pages: then the service searches, filters and sorts. */
export type ListSource<Row> = { rows: readonly Row[] } | { query: UseQueryResult<{ items: Row[] }> } | { pages: Pages<Row> }

/** A list that is searched, sorted, narrowed and turned in pages; a table, or cards where it is narrow. */
export const List = <Row,>(props: ListProps<Row> & ListSource<Row>) => {
  if ('rows' in props) return <Shown {...props} />
  if ('query' in props) return <Loaded query={props.query}>{({ items }) => <Shown {...props} rows={items} />}</Loaded>
  const { rows } = props.pages
  return rows === undefined ? <NotYet {...props} /> : <Shown {...props} rows={rows} />
}

/** What is wrong with a search can be changed where it was typed. */
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
/** Shorter lists are seen at a glance. */
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

/** Fetches on while the page that is looked at is the last that is there, so that the next one is there when it is turned to. */
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
