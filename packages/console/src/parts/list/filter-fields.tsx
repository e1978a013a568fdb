import { CloseButton, NativeSelect } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import { useFormat } from '../value/use-format.ts'
import type { Column, Filter } from './columns.ts'
import { DayField } from './day-field.tsx'
import classes from './list.module.css'
import { text } from './text.ts'
import type { ListState } from './use-list-state.ts'

interface FiltersProps<Row> {
  filters: readonly Filter<Row>[]
  state: ListState
}

interface FilterFieldsProps<Row> extends FiltersProps<Row> {
  isOpen: boolean
  /** Columns that the list can be sorted by. */
  sortable: readonly Column<Row>[]
}

/** On a phone they are hidden until they are asked for, and say the order, too: cards have no heads to click at. */
export const FilterFields = <Row,>({ filters, state, isOpen, sortable }: FilterFieldsProps<Row>) => {
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

/** What is set, each to be taken away. */
export const FilterChips = <Row,>({ filters, state }: FiltersProps<Row>) => {
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
