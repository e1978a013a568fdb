import { valueOf, type Column, type Filter, type Value } from './columns.ts'

interface Wanted {
  search: string
  sort: string
  filter: (key: string) => string
}

interface Listed<Row> {
  columns: readonly Column<Row>[]
  filters: readonly Filter<Row>[]
  language: string
}

/** The matching rows, sorted. */
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

/** Missing values come last in both directions. */
const order = (a: Value, b: Value, compare: (a: string | number, b: string | number) => number): number =>
  a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : compare(a, b)

const punctuation = /[\s()/.-]/g

/**
 * Whether every typed word is in one of the texts. Numbers match in any spelling: ignores spaces, punctuation, and the leading zeros of a
 * number stored with its country code.
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
