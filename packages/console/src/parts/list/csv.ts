import { isPlain, valueOf, type Column, type Value } from './columns.ts'

/** A cell that begins like this would be a formula to a spreadsheet; a plus before digits is a phone number. */
const formula = /^(?:[=@\t\r]|-(?![\d.,]+$)|\+(?!\d[\d ]*$))/

const cellOf = (value: Value): string => {
  if (typeof value === 'number') return String(value)
  const text = formula.test(value ?? '') ? `'${value}` : (value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** RFC 4180, with the mark by which spreadsheets know UTF-8. */
export const toCsv = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string => {
  const written = columns.filter((column) => isPlain(column, rows))
  const lines = [written.map(({ header }) => cellOf(header)), ...rows.map((row) => written.map((column) => cellOf(valueOf(column, row))))]
  return `\uFEFF${lines.map((cells) => `${cells.join(',')}\r\n`).join('')}`
}

export const csvFile = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Blob =>
  new Blob([toCsv(columns, rows)], { type: 'text/csv;charset=utf-8' })
