import { Problem } from '@offhook/contract/problem.ts'
import type { ContactColumn } from '@offhook/contract/v1/contacts.ts'
import { readCsv, writeCsvRow } from '#core/kernel/csv.ts'
import type { Card } from './card.ts'

/** Headers of Google, Outlook and other address books, in English and German, and our own. */
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
export const readContactCsv = (text: string, columns: readonly ContactColumn[] | undefined): Card[] => {
  const [head, ...rows] = readCsv(text)
  if (!head) return []
  const kinds = columns ?? head.cells.map(guess)
  if (!kinds.some((kind) => kind !== 'IGNORE')) throw new Problem('file_unreadable', 'No column of the file belongs to a contact.')
  return rows.map(({ line, cells }) => {
    const those = (kind: ContactColumn): string[] =>
      cells
        .flatMap((cell, at) => (kinds[at] === kind ? cell.split(/ ::: |\r?\n/) : []))
        .flatMap((cell) => (cell.trim() === '' ? [] : cell.trim()))
    const parts = [...those('FIRSTNAME'), ...those('LASTNAME')].join(' ')
    const name = those('NAME')[0] ?? (parts === '' ? (those('COMPANY')[0] ?? '') : parts)
    return { line, name: withoutGuard(name), numbers: those('NUMBER').map(withoutGuard), emails: those('EMAIL').map(withoutGuard) }
  })
}

/** What `writeCsvRow` put before a cell that begins like a formula. */
const withoutGuard = (cell: string): string => cell.replace(/^'(?=[=@+\t-])/, '')

export const writeContactCsv = (contacts: readonly Omit<Card, 'line'>[]): string => {
  const most = (lists: readonly (readonly string[])[]): number => lists.reduce((max, { length }) => Math.max(max, length), 1)
  const numbers = most(contacts.map((one) => one.numbers))
  const emails = most(contacts.map((one) => one.emails))
  const filled = (cells: readonly string[], length: number): string[] => Array.from({ length }, (_, at) => cells[at] ?? '')
  const head = ['Name', ...filled([], numbers).map((_, at) => `Phone ${at + 1}`), ...filled([], emails).map((_, at) => `E-mail ${at + 1}`)]
  const rows = contacts.map((one) => [one.name, ...filled(one.numbers, numbers), ...filled(one.emails, emails)])
  return `\uFEFF${[head, ...rows].map(writeCsvRow).join('')}`
}
