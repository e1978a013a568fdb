import type { HistoryEntry, HistoryFilter, HistoryPage } from '#core/kernel/ports/store/call/history.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { namesOf } from '#core/account/contacts/names.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

const entriesPerBatch = 500
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

/** The history as a table, page by page as it is asked for. */
export async function* historyRows(
  { read }: Store,
  { accountId, userId }: UserCaller,
  filter: HistoryFilter,
  oldestFirst: boolean,
): AsyncGenerator<readonly string[]> {
  yield columns
  let after: HistoryPage['after']
  for (let rows = 0; rows < maxRows; rows += entriesPerBatch) {
    const entries = await read.history.list(accountId, filter, { limit: entriesPerBatch, oldestFirst, ...(after && { after }) })
    const numbers = entries.flatMap(({ source, target }) => [source, target])
    const names = await namesOf(read, accountId, userId, numbers)
    for (const entry of entries) yield rowOf(entry, (number, alias) => names.get(number)?.name ?? alias)
    after = entries.at(-1)
    if (entries.length < entriesPerBatch) return
  }
}

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
