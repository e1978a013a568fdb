import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { templateOf } from './event-template.ts'

export const notificationJob = 'event.tell'

/** Job payload. */
export interface NotifiedEvent {
  accountId: string
  entryId: string
  byMailOnly?: boolean
}

/** Part of the transaction that writes an entry or its outcome: notifies subscribed users. */
export const scheduleNotification = (
  tables: Tables,
  accountId: string,
  { id: entryId, modifiedAt: dueAt }: Pick<HistoryEntry, 'id' | 'modifiedAt'>,
  { byMailOnly = false } = {},
): Promise<void> => {
  const payload: NotifiedEvent = { accountId, entryId, ...(byMailOnly && { byMailOnly }) }
  return tables.jobs.schedule({ id: `${notificationJob}:${accountId}:${entryId}`, kind: notificationJob, payload, dueAt })
}

/** For a call that was missed or went to voicemail. */
export const scheduleMissedCallNotification = async (tables: Tables, accountId: string, entry: HistoryEntry): Promise<void> => {
  if (templateOf(entry) !== undefined) await scheduleNotification(tables, accountId, entry)
}
