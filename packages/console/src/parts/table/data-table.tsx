import { Box } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'
import { Link } from 'wouter'
import { useText } from '#words/use-text.tsx'
import classes from './data-table.module.css'
import { text } from '../text.ts'

export interface Column<Row> {
  /** Unique within the table. */
  key: string
  /** Also the label beside the value where a row is a card. */
  header: string
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** Left out where a row is a card. */
  wideOnly?: boolean
  /** Long words, such as email addresses, may be broken anywhere. */
  breaks?: boolean
}

export interface DataTableProps<Row> {
  /** For screen readers: what is listed. */
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  /** Makes the first cell a link, where there is something to open. */
  rowTo?: (row: Row) => string | undefined
  /** Instead of an address: what opening a row does. The first cell becomes a button. */
  onOpen?: (row: Row) => void
  /** Buttons at the end of a row. */
  rowActions?: (row: Row) => ReactNode
  /** Instead of the table when there are no rows: an `EmptyState`. */
  empty: ReactNode
}

/** A table that becomes a list of cards where it is narrow. */
export const DataTable = <Row,>({ label, rows, columns, rowKey, rowTo, onOpen, rowActions, empty }: DataTableProps<Row>) => {
  const say = useText(text)
  if (rows.length === 0) return empty
  return (
    <Box className={classes.frame}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ key, header, align }) => (
              <th key={key} scope="col" data-align={align}>
                {header}
              </th>
            ))}
            {rowActions && (
              <th scope="col" className={classes.actions}>
                <span className="visually-hidden">{say.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} onClick={openRow}>
              <Cells row={row} columns={columns} rowTo={rowTo} onOpen={onOpen} />
              {rowActions && <td className={classes.actions}>{rowActions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  )
}

/** A click anywhere in a row is one on its link, for the mouse; marking text and other buttons is not. */
const openRow = ({ target, currentTarget, ctrlKey, metaKey, shiftKey }: MouseEvent<HTMLTableRowElement>): void => {
  const isOutside = !(target instanceof Element) || !currentTarget.contains(target)
  if (isOutside || target.closest('a, button, input, label, select, textarea') || getSelection()?.type === 'Range') return
  currentTarget
    .querySelector(`.${classes.link}`)
    ?.dispatchEvent(new globalThis.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }))
}

interface CellsProps<Row> {
  row: Row
  columns: readonly Column<Row>[]
  rowTo: ((row: Row) => string | undefined) | undefined
  onOpen: ((row: Row) => void) | undefined
}

const Cells = <Row,>({ row, columns, rowTo, onOpen }: CellsProps<Row>) => {
  const to = rowTo?.(row)
  return columns.map(({ key, header, cell, align, wideOnly, breaks }, index) => (
    <td key={key} data-align={align} data-label={index === 0 ? undefined : header} data-wide-only={wideOnly} data-breaks={breaks}>
      {index === 0 && to !== undefined ? (
        <Link href={to} className={classes.link}>
          {cell(row)}
        </Link>
      ) : index === 0 && onOpen ? (
        <button type="button" className={classes.link} onClick={() => onOpen(row)}>
          {cell(row)}
        </button>
      ) : (
        cell(row)
      )}
    </td>
  ))
}
