/** A row of a file, with the line it begins in, counted from 1. */
export interface CsvRow {
  line: number
  cells: string[]
}

const separators = [',', ';', '\t'] as const

/** RFC 4180, and what Excel makes of it: semicolons or tabs where the country writes its decimals with a comma. Empty rows are left out. */
export const readCsv = (text: string): CsvRow[] => {
  const content = text.replace(/^\uFEFF/, '')
  const separator = separatorOf(content)
  const rows: CsvRow[] = []
  let row: CsvRow = { line: 1, cells: [] }
  let line = 1
  for (const [, quoted, bare = '', end] of content.matchAll(cellOf(separator))) {
    row.cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'))
    line += (quoted?.split('\n').length ?? 1) - 1
    if (end === separator) continue
    if (row.cells.some((cell) => cell !== '')) rows.push(row)
    if (end === '') break
    line += 1
    row = { line, cells: [] }
  }
  return rows
}

/** A cell and what ends it: the separator, the end of the line, or that of the file. */
const cellOf = (separator: string): RegExp =>
  new RegExp(`(?:"([^"]*(?:""[^"]*)*)"[^\\S\\n\\t]*|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`, 'g')

const separatorOf = (content: string): string => {
  const head = content.slice(0, Math.max(0, content.search(/[\r\n]/))) || content.slice(0, 10_000)
  const counts = separators.map((one) => head.split(one).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}

/** What a spreadsheet would take for a formula stays text. A plus before digits is a phone number. */
const guarded = (cell: string): string => (/^[=@\t-]|^\+(?!\d)/.test(cell) ? `'${cell}` : cell)

const writeCell = (cell: string): string => {
  const safe = guarded(cell)
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const writeCsvRow = (cells: readonly string[]): string => `${cells.map(writeCell).join(',')}\r\n`
