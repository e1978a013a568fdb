import { Checkbox } from '@mantine/core'
import { type CSSProperties, type MouseEvent, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useText } from '#words/use-text.tsx'
import { Icon } from '../icon/icon.tsx'
import { isPlain, valueOf, type Column, type Value } from './columns.ts'
import classes from './list.module.css'
import { text } from './text.ts'
import type { ListState } from './use-list-state.ts'

interface ListTableProps<Row> {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  rowTo?: (row: Row) => string | undefined
  onOpen?: (row: Row) => void
  rowActions?: (row: Row) => ReactNode
  state: ListState
  /** The service sorts, by columns marked as sortable. */
  isPaged: boolean
  selection: Selection<Row> | undefined
}

/** One page of a list. */
export const ListTable = <Row,>(list: ListTableProps<Row>) => {
  const { label, rows, columns, rowKey, rowActions, selection } = list
  return (
    <table className={classes.table} style={{ '--columns': columns.length } as CSSProperties}>
      <caption className="visually-hidden">{label}</caption>
      <Head {...list} />
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} onClick={openRow} data-selected={selection?.has(row)}>
            {selection && <Tick row={row} columns={columns} selection={selection} />}
            <Cells {...list} row={row} />
            {rowActions && <td className={classes.actions}>{rowActions(row)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Head = <Row,>({ rows, columns, rowActions, state, isPaged, selection }: ListTableProps<Row>) => {
  const say = useText(text)
  const chosen = selection ? rows.filter((row) => selection.has(row)).length : 0
  return (
    <thead>
      <tr>
        {selection && (
          <th scope="col" className={classes.tick}>
            <Checkbox
              size="xs"
              aria-label={say.selectPage}
              checked={chosen === rows.length}
              indeterminate={chosen > 0 && chosen < rows.length}
              onChange={({ currentTarget }) => selection.set(rows, currentTarget.checked)}
            />
          </th>
        )}
        {columns.map((column) => (
          <HeadCell key={column.key} column={column} state={state} canSort={isPaged ? column.sortable === true : isPlain(column, rows)} />
        ))}
        {rowActions && (
          <th scope="col" className={classes.actions}>
            <span className="visually-hidden">{say.actions}</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

/** A click sorts by the column, another one reverses it. */
const HeadCell = <Row,>({
  column: { key, header, align },
  state,
  canSort,
}: {
  column: Column<Row>
  state: ListState
  canSort: boolean
}) => {
  const say = useText(text)
  const direction = state.sort === key ? 'ascending' : state.sort === `-${key}` ? 'descending' : undefined
  return (
    <th scope="col" data-align={align} {...(canSort && { 'aria-sort': direction ?? 'none' })}>
      {canSort ? (
        <button
          type="button"
          className={classes.sort}
          title={say.sortBy(header)}
          onClick={() => state.set({ sort: direction === 'ascending' ? `-${key}` : key })}
        >
          {header}
          <Icon name={direction === 'descending' ? 'arrowDown' : 'arrowUp'} size={12} />
        </button>
      ) : (
        header
      )}
    </th>
  )
}

const Tick = <Row,>({ row, columns, selection }: { row: Row; columns: readonly Column<Row>[]; selection: Selection<Row> }) => (
  <td className={classes.tick}>
    <Checkbox
      size="xs"
      aria-label={useText(text).selectRow(String((columns[0] && valueOf(columns[0], row)) ?? ''))}
      checked={selection.has(row)}
      onChange={({ currentTarget }) => selection.set([row], currentTarget.checked)}
    />
  </td>
)

/** A click anywhere in a row follows its link, for the mouse; except text selection and other buttons. */
const openRow = ({ target, currentTarget, ctrlKey, metaKey, shiftKey }: MouseEvent<HTMLTableRowElement>): void => {
  const isOutside = !(target instanceof Element) || !currentTarget.contains(target)
  if (isOutside || target.closest('a, button, input, label, select, textarea') || getSelection()?.type === 'Range') return
  currentTarget
    .querySelector(`.${classes.link}`)
    ?.dispatchEvent(new globalThis.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }))
}

const Cells = <Row,>({ row, columns, rowTo, onOpen }: ListTableProps<Row> & { row: Row }) => {
  const to = rowTo?.(row)
  return columns.map((column, index) => {
    const { key, header, cell, align, wideOnly, wraps, breaks } = column
    const value = valueOf(column, row)
    const content = cell ? cell(row) : value
    return (
      <td
        key={key}
        title={wraps || breaks ? undefined : titleOf(value)}
        data-first={index === 0}
        data-align={align}
        data-label={index === 0 ? undefined : header}
        data-wide-only={wideOnly}
        data-wraps={wraps}
        data-breaks={breaks}
      >
        {index === 0 && to !== undefined ? (
          <Link href={to} className={classes.link}>
            {content}
          </Link>
        ) : index === 0 && onOpen ? (
          <button type="button" className={classes.link} onClick={() => onOpen(row)}>
            {content}
          </button>
        ) : (
          content
        )}
      </td>
    )
  })
}

/** Tooltip for text that may be truncated; short words are not. */
const titleOf = (value: Value): string | undefined =>
  typeof value === 'string' && value.length > 16 && !/^\d{4}-\d\d-\d\dT/.test(value) ? value : undefined

export interface Selection<Row> {
  has: (row: Row) => boolean
  set: (rows: readonly Row[], chosen: boolean) => void
  clear: () => void
  /** All matches are selected, not only the ticked rows. */
  isOfAll: boolean
  setAll: () => void
}

/**
 * The selected rows. Rows that leave the list are deselected, since only listed rows are used. `wanted`: search and filters; a selection of
 * all matches does not apply to another search.
 */
export const useSelection = <Row,>(rowKey: (row: Row) => string, wanted: string): Selection<Row> => {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const [allOf, setAllOf] = useState<string>()
  const isOfAll = allOf === wanted
  return {
    isOfAll,
    setAll: () => setAllOf(wanted),
    has: (row) => isOfAll || keys.has(rowKey(row)),
    set: (rows, chosen) => {
      setAllOf(undefined)
      setKeys((before) => {
        const after = new Set(before)
        for (const key of rows.map(rowKey)) {
          if (chosen) after.add(key)
          else after.delete(key)
        }
        return after
      })
    },
    clear: () => {
      setAllOf(undefined)
      setKeys(new Set())
    },
  }
}
