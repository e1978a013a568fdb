import { scheduleMissedCallNotification } from '#core/account/notifications/schedule-notification.ts'
import { scheduleTranscription, wantsText } from '#core/account/notifications/schedule-transcription.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Side } from '../state/call-details.ts'
import { notifyHangups } from './call-notifications.ts'
import { historyEntries, type FinishedCall } from './history-entry.ts'
import { keepRecordings } from './keep-recordings.ts'

const writeEntry = async (tables: Tables, accountId: string, entry: HistoryEntry): Promise<void> => {
  const asText = await wantsText(tables, accountId, entry)
  const written: HistoryEntry = asText ? { ...entry, detail: { ...entry.detail, messageText: { state: 'PENDING' } } } : entry
  if (!(await tables.history.insert(accountId, written))) return
  if (asText) await scheduleTranscription(tables, accountId, written)
  else await scheduleMissedCallNotification(tables, accountId, written)
}

/** Part of a transaction, which may run again: what is known already is not written twice. */
export const writeEntries = async (tables: Tables, call: FinishedCall, sides: readonly Side[]): Promise<void> => {
  for (const side of sides) for (const entry of historyEntries(side, call)) await writeEntry(tables, side.accountId, entry)
  await notifyHangups(tables, sides, call)
  for (const side of sides) await keepRecordings(tables, side, call.callId)
}
