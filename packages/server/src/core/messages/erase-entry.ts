import type { Clock } from '#core/kernel/ports/clock.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { RecordingFile } from '#core/kernel/ports/telephony.ts'
import { eraseEntry } from '#core/telephone/recordings/erase-recordings.ts'
import { eraseFax } from './fax/erasing/erase-fax.ts'
import { forgetSms } from './sms/sending/cancel-sms.ts'

/** The whole entry goes, and with it what was recorded or faxed. A message that waits for its time is not sent. */
export const eraseAnyEntry = async (tables: Tables, clock: Clock, accountId: string, entry: HistoryEntry): Promise<RecordingFile[]> => {
  if (entry.type === 'FAX') await eraseFax(tables, clock, { accountId, id: entry.id })
  const files = await eraseEntry(tables, clock, accountId, entry)
  if (entry.type === 'SMS') await forgetSms(tables, accountId, entry.id)
  return files
}
