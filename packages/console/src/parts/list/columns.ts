import type { ReactNode } from 'react'

/** Times are ISO texts or milliseconds, so that they sort correctly. */
export type Value = string | number | undefined

export interface Column<Row> {
  /** Unique within the list; part of the address when sorted by it. */
  key: string
  /** Also the label next to the value in card layout. */
  header: string
  /** Rendered cell; default: `value`. */
  cell?: (row: Row) => ReactNode
  /** Plain value, if `cell` renders more than text: used for search, sorting and the CSV file. */
  value?: (row: Row) => Value
  /** The service can sort by this key: for paged lists. */
  sortable?: boolean
  align?: 'right'
  /** Omitted in card layout. */
  wideOnly?: boolean
  /** Wraps instead of being truncated. */
  wraps?: boolean
  /** Like `wraps`; long words, such as email addresses, may break anywhere. */
  breaks?: boolean
}

export const valueOf = <Row>({ cell, value }: Column<Row>, row: Row): Value => {
  if (value) return value(row)
  const drawn = cell?.(row)
  return typeof drawn === 'string' || typeof drawn === 'number' ? drawn : undefined
}

/** Columns without plain values are not searched, sorted or exported. */
export const isPlain = <Row>(column: Column<Row>, rows: readonly Row[]): boolean =>
  column.value !== undefined || rows.slice(0, 20).some((row) => valueOf(column, row) !== undefined)

export interface FilterOption {
  value: string
  label: string
}

/** A filter: one of several options, or a calendar day. Part of the address under its key. */
export interface Filter<Row> {
  key: string
  label: string
  /** Without options it is a day. */
  options?: readonly FilterOption[]
  /** For fully loaded lists; paged ones are filtered by the service. */
  fits?: (row: Row, value: string) => boolean
}

/** A bulk action. */
export interface BulkAction<Row> {
  label: string
  run: (rows: readonly Row[]) => void | Promise<void>
  /** The same for all matches of search and filters, with their number: for paged lists, if the service supports it. */
  runAll?: (count: number) => void | Promise<void>
  /** Destructive. */
  danger?: boolean
}
