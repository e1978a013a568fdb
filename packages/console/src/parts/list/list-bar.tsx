import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import { Icon } from '../icon/icon.tsx'
import { useFormat } from '../value/use-format.ts'
import { isPlain, type Column, type Filter } from './columns.ts'
import { csvFile } from './csv.ts'
import { CsvButton } from './csv-button.tsx'
import { FilterChips, FilterFields } from './filter-fields.tsx'
import classes from './list.module.css'
import { ListSearch } from './list-search.tsx'
import { text } from './text.ts'
import type { ListState } from './use-list-state.ts'
import type { Pages } from './use-pages.ts'

export interface ListBarProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  search?: string
  filters?: readonly Filter<Row>[]
  state: ListState
  found: readonly Row[]
  /** How many there are without search and filters; undefined while that is not known. */
  total: number | undefined
  pages: Pages<Row> | undefined
  file?: () => Promise<Blob>
}

/** Above a list: how it is searched and narrowed, how many fit, and the file of them. On a phone the filters are behind a button. */
export const ListBar = <Row,>({ label, columns, search, filters = [], state, found, total, pages, file }: ListBarProps<Row>) => {
  const say = useText(text)
  const searchLabel = search ?? (pages ? undefined : say.search)
  const [opened, setOpened] = useState(false)
  const sortable = columns.filter((column) => (pages ? column.sortable : isPlain(column, found)))
  const set = filters.filter(({ key }) => state.filter(key) !== '')
  return (
    <div className={classes.bar}>
      <div className={classes.find}>
        {searchLabel !== undefined && <ListSearch label={searchLabel} value={state.search} onChange={(q) => state.set({ q })} />}
        {filters.length + sortable.length > 0 && (
          <Button
            size="sm"
            variant="default"
            className={classes.filterButton}
            leftSection={<Icon name="filter" size={16} />}
            aria-expanded={opened}
            onClick={() => setOpened(!opened)}
          >
            {set.length > 0 ? say.filtersSet(set.length) : say.filters}
          </Button>
        )}
        <Group gap="sm" ml="auto" wrap="nowrap">
          {(pages === undefined || pages.rows !== undefined) && (
            <Count found={pages ? (total ?? found.length) : found.length} total={total} />
          )}
          <CsvButton name={label} make={file ?? (async () => csvFile(columns, pages ? await pages.all() : found))} />
        </Group>
      </div>
      <FilterFields filters={filters} state={state} isOpen={opened} sortable={sortable} />
      {set.length > 0 && <FilterChips filters={set} state={state} />}
    </div>
  )
}

/** Read out when it changes. */
const Count = ({ found, total }: { found: number; total: number | undefined }) => {
  const say = useText(text)
  const { number } = useFormat()
  return (
    <Text size="sm" c="dimmed" role="status" className={classes.count}>
      {total === undefined
        ? say.atLeast(number(found))
        : total > found
          ? say.countOf(number(found), number(total))
          : say.count(number(found))}
    </Text>
  )
}
