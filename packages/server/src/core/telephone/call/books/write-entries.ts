import { scheduleMissedCallNotification } from '#core/account/notifications/schedule-notification.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Side } from '../state/call-details.ts'
import { tellHangups } from './call-notifications.ts'
import { historyEntries, type FinishedCall } from './history-entry.ts'
import { keepRecordings } from './keep-recordings.ts'

/** Part of a transaction, which may run again: what is known already is not written twice. */
export const writeEntries = async (tables: Tables, call: FinishedCall, sides: readonly Side[]): Promise<void> => {
  for (const side of sides)
    for (const entry of historyEntries(side, call)) {
      const isNew = await tables.history.insert(side.accountId, entry)
      if (isNew) await scheduleMissedCallNotification(tables, side.accountId, entry)
    }
  await tellHangups(tables, sides, call)
  for (const side of sides) await keepRecordings(tables, side, call.callId)
}
