import { valueOf, type Column, type Filter, type Value } from './columns.ts'

export interface Wanted {
  search: string
  sort: string
  filter: (key: string) => string
}

interface Listed<Row> {
  columns: readonly Column<Row>[]
  filters: readonly Filter<Row>[]
  language: string
}

/** The rows that are wanted, in the wanted order. */
export const findRows = <Row>(
  rows: readonly Row[],
  { search, sort, filter }: Wanted,
  { columns, filters, language }: Listed<Row>,
): readonly Row[] => {
  const chosen = filters.filter(({ key, fits }) => fits !== undefined && filter(key) !== '')
  const found = rows.filter(
    (row) =>
      chosen.every(({ key, fits }) => fits?.(row, filter(key)) ?? true) &&
      (search.trim() === '' ||
        isIn(
          search,
          columns.map((column) => String(valueOf(column, row) ?? '')),
        )),
  )
  const [key, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1]
  const column = columns.find((one) => one.key === key)
  if (column === undefined) return found
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  const compare = (a: string | number, b: string | number): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
  return found.toSorted((a, b) => order(valueOf(column, a), valueOf(column, b), (one, other) => sign * compare(one, other)))
}

/** What is not there comes last, whichever way the rest is sorted. */
const order = (a: Value, b: Value, compare: (a: string | number, b: string | number) => number): number =>
  a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : compare(a, b)

const punctuation = /[\s()/.-]/g

/**
 * Whether every word that was typed is in one of the texts. Numbers are found however they are written: spaces and punctuation do not
 * matter, nor the zeros before a number that is stored with its country's code.
 */
export const isIn = (typed: string, texts: readonly string[]): boolean => {
  const digits = typed.replaceAll(punctuation, '')
  if (/^\+?\d{2,}$/.test(digits)) {
    const wanted = digits.replace(/^0+(?=\d{2})/, '')
    if (texts.some((text) => text.replaceAll(punctuation, '').includes(wanted))) return true
  }
  const all = texts.join('\n').toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
