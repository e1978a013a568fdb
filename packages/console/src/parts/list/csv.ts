import { isPlain, type Column, valueOf, type Value } from './columns.ts'

/** Characters that start a formula, including their full-width forms. */
const formula = '=+@\\-＝＋＠－'

/** Phone numbers and negative amounts stay readable. */
const harmless = /^(?:\+\d[\d ]*|-\d[\d.,]*)$/

const beginsFormula = new RegExp(`^[${formula}\\t\\r\\n]`)

/** A spreadsheet with semicolons as separator splits a cell here, even if quoted. */
const beginsFormulaInside = new RegExp(`([;\\t\\r\\n]["\\s]{0,8})(?=[${formula}])`, 'g')

/** Keeps a cell as text that a spreadsheet would take for a formula (CWE-1236). The service protects its own files by the same rule. */
const guarded = (cell: string): string => {
  if (harmless.test(cell)) return cell
  const inside = cell.replaceAll(beginsFormulaInside, "$1'")
  return beginsFormula.test(cell) ? `'${inside}` : inside
}

const cellOf = (value: Value): string => {
  if (typeof value === 'number') return String(value)
  const text = guarded(value ?? '')
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** RFC 4180, with the mark by which spreadsheets know UTF-8. */
export const toCsv = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string => {
  const written = columns.filter((column) => isPlain(column, rows))
  const lines = [written.map(({ header }) => cellOf(header)), ...rows.map((row) => written.map((column) => cellOf(valueOf(column, row))))]
  return `\uFEFF${lines.map((cells) => `${cells.join(',')}\r\n`).join('')}`
}

export const csvFile = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Blob =>
  new Blob([toCsv(columns, rows)], { type: 'text/csv;charset=utf-8' })
