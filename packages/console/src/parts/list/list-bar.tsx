import { Button, Group, Text, CloseButton, TextInput, NativeSelect } from '@mantine/core'
import { useState, useEffect, useRef } from 'react'
import { useText } from '#words/use-text.tsx'
import { Icon } from '../icon/icon.tsx'
import { useFormat } from '../value/use-format.ts'
import { isPlain, type Column, type Filter } from './columns.ts'
import classes from './list.module.css'
import { text } from './text.ts'
import type { ListState } from './use-list-state.ts'
import type { Pages } from './use-pages.ts'
import { useDebouncedCallback } from '@mantine/hooks'
import { DayField } from './day-field.tsx'
import { useToast } from '../dialog/toast.tsx'
import { csvFile } from './csv.ts'

interface ListBarProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  search?: string
  filters?: readonly Filter<Row>[]
  state: ListState
  found: readonly Row[]
  /** Total without search and filters; undefined while unknown. */
  total: number | undefined
  pages: Pages<Row> | undefined
  file?: () => Promise<Blob>
}

/** Above a list: search, filters, count, and CSV file. On a phone the filters are behind a button. */
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

/** Announced on change. */
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

const pauseMs = 200

/** Searches when the user pauses. */
const ListSearch = ({ label, value, onChange }: { label: string; value: string; onChange: (search: string) => void }) => {
  const { reset } = useText(text)
  const [typed, setTyped] = useState(value)
  const notified = useRef(value)
  const notify = (search: string): void => {
    notified.current = search
    onChange(search)
  }
  const notifyLater = useDebouncedCallback(notify, pauseMs)
  // The search was changed elsewhere: by a reset or by going back.
  useEffect(() => {
    if (value !== notified.current) setTyped(value)
    notified.current = value
  }, [value])
  return (
    <TextInput
      type="search"
      className={classes.search}
      aria-label={label}
      placeholder={label}
      maxLength={100}
      leftSection={<Icon name="search" size={16} />}
      rightSection={typed !== '' && <CloseButton size="sm" aria-label={reset} onClick={() => (setTyped(''), notify(''))} />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        notifyLater(currentTarget.value)
      }}
    />
  )
}

interface FiltersProps<Row> {
  filters: readonly Filter<Row>[]
  state: ListState
}

interface FilterFieldsProps<Row> extends FiltersProps<Row> {
  isOpen: boolean
  /** Sortable columns. */
  sortable: readonly Column<Row>[]
}

/** Collapsed on a phone, where they include the sort order: cards have no headers to click. */
const FilterFields = <Row,>({ filters, state, isOpen, sortable }: FilterFieldsProps<Row>) => {
  const say = useText(text)
  const orders = sortable.flatMap(({ key, header }) => [
    { value: key, label: `${header} ↑` },
    { value: `-${key}`, label: `${header} ↓` },
  ])
  return (
    <div className={classes.filters} data-open={isOpen}>
      {orders.length > 0 && (
        <NativeSelect
          size="xs"
          className={classes.order}
          label={say.order}
          data={[{ value: '', label: '–' }, ...orders]}
          value={state.sort}
          onChange={({ currentTarget }) => state.set({ sort: currentTarget.value })}
        />
      )}
      {filters.map(({ key, label, options }) =>
        options ? (
          <NativeSelect
            key={key}
            size="xs"
            label={label}
            data={[{ value: '', label: say.all }, ...options]}
            value={state.filter(key)}
            onChange={({ currentTarget }) => state.set({ [key]: currentTarget.value })}
          />
        ) : (
          <DayField key={key} label={label} value={state.filter(key)} onChange={(day) => state.set({ [key]: day })} />
        ),
      )}
    </div>
  )
}

/** Active filters, each removable. */
const FilterChips = <Row,>({ filters, state }: FiltersProps<Row>) => {
  const say = useText(text)
  const format = useFormat()
  return (
    <ul className={classes.chips}>
      {filters.map(({ key, label, options }) => {
        const value = state.filter(key)
        const words =
          options?.find((option) => option.value === value)?.label ?? (/^\d{4}-\d\d-\d\d$/.test(value) ? format.date(value) : value)
        return (
          <li key={key} className={classes.chip}>
            {label}: {words}
            <CloseButton size="xs" aria-label={say.removeFilter(label)} onClick={() => state.set({ [key]: '' })} />
          </li>
        )
      })}
    </ul>
  )
}

/** Downloads content as a file. */
export const saveFile = (name: string, content: Blob): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

interface CsvButtonProps {
  /** File name without extension. */
  name: string
  make: () => Promise<Blob>
}

/** Exports the list as a file. */
export const CsvButton = ({ name, make }: CsvButtonProps) => {
  const say = useText(text)
  const toast = useToast()
  const [isReading, setIsReading] = useState(false)
  const save = async (): Promise<void> => {
    setIsReading(true)
    try {
      saveFile(`${name}.csv`, await make())
    } catch (error) {
      toast.failed(error)
    } finally {
      setIsReading(false)
    }
  }
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<Icon name="download" size={14} />}
      title={say.csvHint}
      loading={isReading}
      onClick={() => void save()}
    >
      {say.csv}
    </Button>
  )
}
