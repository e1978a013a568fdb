import { Problem } from '@offhook/contract/problem.ts'
import type { ContactColumn } from '@offhook/contract/v1/contacts.ts'
import { readCsv, writeCsvRow } from '#core/kernel/csv.ts'
import { maxValues, type Card, type ReadCard } from './card.ts'

/** Headers of Google, Outlook and other address books, in English and German, and of our own export. */
const guesses: [RegExp, ContactColumn][] = [
  [/\b(type|label|typ|bezeichnung)$|display name|anzeigename e-?mail|phonetic|yomi/, 'IGNORE'],
  [/e-?mail/, 'EMAIL'],
  [/phone|telefon|\btel\b|mobil|handy|\bfax|rufnummer|^nummer|^number|durchwahl|pager/, 'NUMBER'],
  [/^(name|full name|vollständiger name|anzeigename|file as|speichern unter|kontakt|contact)$/, 'NAME'],
  [/^(first|given) ?name$|^vorname$/, 'FIRSTNAME'],
  [/^(last|family) ?name$|^surname$|^nachname$/, 'LASTNAME'],
  [/^(company|organi[sz]ation( name)?|organi[sz]ation 1 - name|firma)$/, 'COMPANY'],
]

const guess = (header: string): ContactColumn => {
  const written = header.trim().toLowerCase()
  return guesses.find(([pattern]) => pattern.test(written))?.[1] ?? 'IGNORE'
}

/** The first row names the columns. */
export function* readContactCsv(text: string, columns: readonly ContactColumn[] | undefined): Generator<ReadCard> {
  let kinds: readonly ContactColumn[] | undefined
  for (const { line, cells, characters } of readCsv(text)) {
    const isHead = cells.length > 0 && kinds === undefined
    yield { card: cells.length > 0 && kinds ? toCard(line, cells, kinds) : undefined, characters }
    if (!isHead) continue
    kinds = columns ?? cells.map(guess)
    if (!kinds.some((kind) => kind !== 'IGNORE')) throw new Problem('file_unreadable', 'No column of the file belongs to a contact.')
  }
}

const toCard = (line: number, cells: readonly string[], kinds: readonly ContactColumn[]): Card => {
  const those = (kind: ContactColumn): string[] => {
    const found: string[] = []
    for (const [at, cell] of cells.entries()) {
      if (kinds[at] !== kind) continue
      for (const value of cell.split(/ ::: |\r?\n/, maxValues))
        if (value.trim() !== '' && found.length < maxValues) found.push(value.trim())
    }
    return found
  }
  const parts = [...those('FIRSTNAME'), ...those('LASTNAME')].join(' ')
  const name = those('NAME')[0] ?? (parts === '' ? (those('COMPANY')[0] ?? '') : parts)
  return { line, name: withoutGuard(name), numbers: those('NUMBER').map(withoutGuard), emails: those('EMAIL').map(withoutGuard) }
}

/** Removes the guard that `writeCsvRow` puts before a cell that looks like a formula. */
const withoutGuard = (cell: string): string => cell.replace(/^'(?=[=@+\t\r\n＝＋＠－-])/, '')

/** Columns that a file needs for the numbers and addresses of its contacts. */
export interface CsvColumns {
  numbers: number
  emails: number
}

const filled = (cells: readonly string[], length: number): string[] => Array.from({ length }, (_, at) => cells[at] ?? '')

export const writeCsvHead = ({ numbers, emails }: CsvColumns): string =>
  `\uFEFF${writeCsvRow(['Name', ...filled([], numbers).map((_, at) => `Phone ${at + 1}`), ...filled([], emails).map((_, at) => `E-mail ${at + 1}`)])}`

export const writeCsvContacts = (contacts: readonly Omit<Card, 'line'>[], { numbers, emails }: CsvColumns): string =>
  contacts.map((one) => writeCsvRow([one.name, ...filled(one.numbers, numbers), ...filled(one.emails, emails)])).join('')
