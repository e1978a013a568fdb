import { Problem } from '@offhook/contract/problem.ts'

/** CSV row with its first line number, counted from 1. */
interface CsvRow {
  line: number
  cells: string[]
  /** Length of the row in the file, in characters. */
  characters: number
}

const separators = [',', ';', '\t'] as const
/** Characters per cell; Excel's own maximum. */
const maxCellLength = 32_767
const maxCells = 1_000
const maxRowLength = 256 * 1024

/**
 * Parses RFC 4180 and Excel's variants: semicolons or tabs in countries with a decimal comma. Yields row by row in one pass; an empty row
 * has no cells. Rejects a cell or row that is too long and names its line.
 */
export function* readCsv(text: string): Generator<CsvRow> {
  const scanner = new CsvScanner(text)
  for (let row = scanner.next(); row; row = scanner.next()) yield row
}

class CsvScanner {
  readonly #text: string
  readonly #separator: string
  #at: number
  #line = 1
  /** Position from which no quote is closed; quotes after it are plain text. */
  #quotesEnd = Infinity

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\uFEFF') ? 1 : 0
    this.#separator = separatorOf(text.slice(this.#at, this.#at + headLength))
  }

  next(): CsvRow | undefined {
    if (this.#at >= this.#text.length) return undefined
    const [from, line] = [this.#at, this.#line]
    const cells: string[] = []
    for (;;) {
      if (cells.push(this.#quoted() ?? this.#bare()) > maxCells) throw unreadable(line, `has more than ${maxCells} cells`)
      if (this.#at - from > maxRowLength) throw unreadable(line, `has more than ${maxRowLength} characters`)
      if (this.#text[this.#at] !== this.#separator) break
      this.#at++
    }
    this.#endLine()
    return { line, cells: cells.some((cell) => cell !== '') ? cells : [], characters: this.#at - from }
  }

  /** Reads up to the separator or the end of the line. */
  #bare(): string {
    const from = this.#at
    while (this.#at < this.#text.length && !this.#isEnd(this.#at) && this.#at - from <= maxCellLength) this.#at++
    this.#refuseLong(this.#at - from)
    return this.#text.slice(from, this.#at)
  }

  /** Undefined if the cell does not begin with a quote, or the quote is part of its text. */
  #quoted(): string | undefined {
    if (this.#text[this.#at] !== '"' || this.#at >= this.#quotesEnd) return undefined
    let close = this.#text.indexOf('"', this.#at + 1)
    while (close >= 0 && this.#text[close + 1] === '"') {
      this.#refuseLong(close - this.#at)
      close = this.#text.indexOf('"', close + 2)
    }
    if (close < 0) {
      this.#quotesEnd = this.#at
      return undefined
    }
    let end = close + 1
    while (this.#text[end] === ' ') end++
    if (end < this.#text.length && !this.#isEnd(end)) return undefined
    this.#refuseLong(close - this.#at)
    const written = this.#text.slice(this.#at + 1, close)
    this.#line += written.split('\n').length - 1
    this.#at = end
    return written.replaceAll('""', '"')
  }

  #refuseLong(length: number): void {
    if (length > maxCellLength)
      throw unreadable(this.#line, `has a cell of more than ${maxCellLength} characters, or a quote that is not closed`)
  }

  #isEnd(at: number): boolean {
    const character = this.#text[at]
    return character === this.#separator || character === '\n' || character === '\r'
  }

  #endLine(): void {
    if (this.#text.startsWith('\r\n', this.#at)) this.#at++
    this.#at++
    this.#line++
  }
}

const unreadable = (line: number, what: string): Problem => new Problem('file_unreadable', `Line ${line} of the file ${what}.`)

const headLength = 10_000

const separatorOf = (beginning: string): string => {
  const [head = ''] = beginning.split(/[\r\n]/, 1)
  const counts = separators.map((one) => head.split(one).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Characters that begin a formula, including their full-width forms. */
const formula = '=+@\\-＝＋＠－'
const phoneNumber = /^\+\d[\d ]*$/
const beginsFormula = new RegExp(`^[${formula}\\t\\r\\n]`)
/** A spreadsheet with semicolon separators splits a cell here, quoted or not. */
const beginsFormulaInside = new RegExp(`([;\\t\\r\\n]["\\s]{0,8})(?=[${formula}])`, 'g')

/** Stops spreadsheets from reading a cell as a formula (CWE-1236). A bare phone number stays readable. */
const guarded = (cell: string): string => {
  if (phoneNumber.test(cell)) return cell
  const inside = cell.replaceAll(beginsFormulaInside, "$1'")
  return beginsFormula.test(cell) ? `'${inside}` : inside
}

const writeCell = (cell: string): string => {
  const safe = guarded(cell)
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const writeCsvRow = (cells: readonly string[]): string => `${cells.map(writeCell).join(',')}\r\n`
