import { messageOf } from './history-entry.ts'
import type { StoredSound, Side } from '../state/call-details.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredRecording } from '#core/kernel/ports/store/call/recordings.ts'
import { eraseFile } from '#core/telephone/recordings/erase-recordings.ts'

/** Part of the transaction that writes the history entry: the files that it tells of. */
export const keepRecordings = async (tables: Tables, side: Side, callId: string): Promise<void> => {
  const { accountId, recordings, message } = side
  const keep = (kind: StoredRecording['kind'], { id, at: createdAt, durationMs, bytes, truncated }: StoredSound): Promise<void> =>
    tables.recordings.insert({ id, accountId, callId, kind, createdAt, durationMs, bytes, truncated })
  for (const sound of recordings) if (sound.bytes > 0) await keep('CALL', sound)
  if (!message || message.bytes === 0) return
  if (!messageOf(side)) return eraseFile(tables, { accountId, id: message.id }, message.at)
  await keep('VOICEMAIL', message)
}
