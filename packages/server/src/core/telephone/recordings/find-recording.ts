import { maySee, type Viewer } from '#core/account/history/own-extensions.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredRecording } from '#core/kernel/ports/store/call/recordings.ts'
import { publishing } from './erase-recordings.ts'

/** Who may read the entry may hear what it tells of; administrators may for the whole account. */
export const mayHear = async (tables: Tables, listener: Viewer, recording: StoredRecording): Promise<boolean> => {
  if (listener.admin) return true
  const entry = publishing(await tables.history.listBySession(listener.accountId, recording.callId), recording.id)
  return entry !== undefined && maySee(tables, listener, entry.id)
}

/** Undefined also when it is none of the listener's business. */
export const findRecording = async (tables: Tables, listener: Viewer, id: string): Promise<StoredRecording | undefined> => {
  const recording = await tables.recordings.find(listener.accountId, id)
  return recording && (await mayHear(tables, listener, recording)) ? recording : undefined
}
