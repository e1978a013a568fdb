import type { ReactNode } from 'react'

/** Times are ISO texts or milliseconds, so that they are sorted as such. */
export type Value = string | number | undefined

export interface Column<Row> {
  /** Unique within the list; stands in the address when the list is sorted by it. */
  key: string
  /** Also the label beside the value where a row is a card. */
  header: string
  /** What is drawn; without it `value` is. */
  cell?: (row: Row) => ReactNode
  /** The same in plain, where `cell` draws more than words: what the list is searched and sorted by and what stands in its file. */
  value?: (row: Row) => Value
  /** The service can sort by it, under this key: for lists that come in pages. */
  sortable?: boolean
  align?: 'right'
  /** Left out where a row is a card. */
  wideOnly?: boolean
  /** Takes several lines instead of being cut. */
  wraps?: boolean
  /** As `wraps`; long words, such as email addresses, may be broken anywhere. */
  breaks?: boolean
}

export const valueOf = <Row>({ cell, value }: Column<Row>, row: Row): Value => {
  if (value) return value(row)
  const drawn = cell?.(row)
  return typeof drawn === 'string' || typeof drawn === 'number' ? drawn : undefined
}

/** Columns of nothing but drawings are not searched, sorted or written. */
export const isPlain = <Row>(column: Column<Row>, rows: readonly Row[]): boolean =>
  column.value !== undefined || rows.slice(0, 20).some((row) => valueOf(column, row) !== undefined)

export interface FilterOption {
  value: string
  label: string
}

/** Narrows the list: one of several, or a day of the calendar. It stands in the address under its key. */
export interface Filter<Row> {
  key: string
  label: string
  /** Without any it is a day. */
  options?: readonly FilterOption[]
  /** Lists that are there in full; those that come in pages are narrowed by the service. */
  fits?: (row: Row, value: string) => boolean
}

/** What can be done with several rows at once. */
export interface BulkAction<Row> {
  label: string
  run: (rows: readonly Row[]) => void | Promise<void>
  /** The same to all that the search and the filters find, which are so many: for lists that come in pages, where the service can do that. */
  runAll?: (count: number) => void | Promise<void>
  /** Something is lost by it. */
  danger?: boolean
}
