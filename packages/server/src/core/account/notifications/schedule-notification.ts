import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { templateOf } from './event-template.ts'

export const tellJob = 'event.tell'

/** What is told, in the payload of the job. */
export interface Event {
  accountId: string
  entryId: string
  byMailOnly?: boolean
}

/** Part of the transaction that writes an entry, or what became of it: whoever wants to know hears of it. */
export const tellOf = (
  tables: Tables,
  accountId: string,
  { id: entryId, modifiedAt: dueAt }: Pick<HistoryEntry, 'id' | 'modifiedAt'>,
  { byMailOnly = false } = {},
): Promise<void> => {
  const payload: Event = { accountId, entryId, ...(byMailOnly && { byMailOnly }) }
  return tables.jobs.schedule({ id: `${tellJob}:${accountId}:${entryId}`, kind: tellJob, payload, dueAt })
}

/** Of a call: if nobody took it, or something was said instead. */
export const tellOfMissed = async (tables: Tables, accountId: string, entry: HistoryEntry): Promise<void> => {
  if (templateOf(entry) !== undefined) await tellOf(tables, accountId, entry)
}
