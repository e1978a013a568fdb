import type { Clock } from '#core/kernel/ports/platform.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { RecordingFile } from '#core/kernel/ports/audio.ts'
import { eraseEntry } from '#core/telephone/recordings/erase-recordings.ts'
import { eraseFax } from './fax/erasing/erase-fax.ts'
import { forgetSms } from './sms/sending/cancel-sms.ts'

/** Entries per transaction: writers queue behind it. */
const concurrency = 50

/** Erases the entry with its recordings and fax. A scheduled message is not sent. */
export const eraseAnyEntry = async (tables: Tables, clock: Clock, accountId: string, entry: HistoryEntry): Promise<RecordingFile[]> => {
  if (entry.type === 'FAX') await eraseFax(tables, clock, { accountId, id: entry.id })
  const files = await eraseEntry(tables, clock, accountId, entry)
  if (entry.type === 'SMS') await forgetSms(tables, accountId, entry.id)
  return files
}

/** Erases older entries of one account, except messages and faxes scheduled for later. Yields after each transaction. */
export async function* eraseEntriesBefore(
  { store, clock }: { store: Store; clock: Clock },
  accountId: string,
  before: number,
): AsyncGenerator<void> {
  let after: HistoryEntry | undefined
  do {
    const page = { limit: concurrency, oldestFirst: true, ...(after && { after }) }
    const entries = await store.read.history.list(accountId, { to: before - 1 }, page)
    await store.write(async (tables) => {
      for (const { id } of entries) {
        const entry = await tables.history.find(accountId, id)
        if (entry && (entry.detail.scheduledAt ?? 0) < before) await eraseAnyEntry(tables, clock, accountId, entry)
      }
    })
    after = entries.length === concurrency ? entries.at(-1) : undefined
    yield
  } while (after)
}
