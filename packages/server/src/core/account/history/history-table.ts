import { namesOf } from '#core/account/contacts/names.ts'
import { writeCsvRow } from '#core/kernel/csv.ts'
import type { HistoryCursor, HistoryEntry, HistoryFilter } from '#core/kernel/ports/store/call.ts'
import type { TextSlice, Tables } from '#core/kernel/ports/store/index.ts'

interface HistoryTableInput {
  accountId: string
  userId: string
  filter: HistoryFilter
  oldestFirst: boolean
  /** Entries to skip. */
  offset?: number
  limit?: number
  after?: HistoryCursor
  /** Rows in the previous slices. */
  rows?: number
}

const entriesPerSlice = 250
const maxRows = 100_000

const columns = [
  'Created',
  'Type',
  'Direction',
  'Source',
  'Source name',
  'Target',
  'Target name',
  'Status',
  'Seconds',
  'Read',
  'Archived',
  'Starred',
  'Note',
  'Text',
] as const

/** The history as CSV, with the byte order mark by which spreadsheets detect UTF-8. */
export const historyTable = async (tables: Tables, input: HistoryTableInput): Promise<TextSlice<HistoryTableInput>> => {
  const { accountId, userId, filter, oldestFirst, offset, limit = maxRows, after, rows = 0 } = input
  const slice = Math.min(entriesPerSlice, limit - rows)
  const begin = after ? { after } : offset === undefined ? {} : { offset }
  const entries = await tables.history.list(accountId, filter, { limit: slice, oldestFirst, ...begin })
  const numbers = entries.flatMap(({ source, target }) => [source, target])
  const names = await namesOf(tables, accountId, userId, numbers)
  const written = entries.map((entry) => writeCsvRow(rowOf(entry, (number, alias) => names.get(number)?.name ?? alias)))
  const text = `${rows === 0 ? `\uFEFF${writeCsvRow(columns)}` : ''}${written.join('')}`
  const last = entries.at(-1)
  const hasMore = entries.length === slice && rows + slice < limit
  return { text, ...(last && hasMore && { next: { ...input, after: cursorOf(last), rows: rows + slice } }) }
}

const cursorOf = ({ id, createdAt }: HistoryEntry): HistoryCursor => ({ id, createdAt })

const rowOf = (entry: HistoryEntry, nameOf: (number: string, alias: string) => string): string[] => [
  new Date(entry.createdAt).toISOString(),
  entry.type,
  entry.direction,
  entry.source,
  nameOf(entry.source, entry.sourceAlias),
  entry.target,
  nameOf(entry.target, entry.targetAlias),
  entry.status,
  String(entry.detail.duration ?? ''),
  yesNo(entry.read),
  yesNo(entry.archived),
  yesNo(entry.starred),
  entry.note,
  entry.detail.smsContent ?? entry.detail.transcription ?? '',
]

const yesNo = (value: boolean): string => (value ? 'yes' : 'no')
