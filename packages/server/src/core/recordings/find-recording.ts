import { seerOf } from '../lines/own-extensions.ts'
import type { Tables } from '../ports/store/index.ts'
import type { StoredRecording } from '../ports/store/recordings.ts'
import { tellingOf } from './erase-recordings.ts'

export interface Listener {
  accountId: string
  userId: string
  admin: boolean
}

/** Who may read the entry may hear what it tells of; administrators may for the whole account. */
export const mayHear = async (tables: Tables, listener: Listener, recording: StoredRecording): Promise<boolean> => {
  const { accountId, userId, admin } = listener
  if (admin) return true
  const entry = tellingOf(await tables.history.listBySession(accountId, recording.callId), recording.id)
  return entry !== undefined && (await tables.history.find(accountId, entry.id, await seerOf(tables, accountId, userId))) !== undefined
}

/** Undefined also when it is none of the listener's business. */
export const findRecording = async (tables: Tables, listener: Listener, id: string): Promise<StoredRecording | undefined> => {
  const recording = await tables.recordings.find(listener.accountId, id)
  return recording && (await mayHear(tables, listener, recording)) ? recording : undefined
}
