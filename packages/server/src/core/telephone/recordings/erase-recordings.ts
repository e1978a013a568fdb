import type { Clock } from '#core/kernel/ports/platform.ts'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { StoredRecording } from '#core/kernel/ports/store/recording.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { RecordingFile } from '#core/kernel/ports/audio.ts'

export const eraseJob = 'recording.erase'

/** Erases the file after the transaction; retried until it succeeds. */
export const eraseFile = (tables: Tables, { accountId, id, place }: RecordingFile, at: number): Promise<void> => {
  const payload: EraseJob = { accountId, id, place, since: at }
  return tables.jobs.schedule({ id: `${eraseJob}:${accountId}:${id}`, kind: eraseJob, payload, dueAt: at })
}

/** `since`: missing in jobs of earlier versions. */
export type EraseJob = RecordingFile & { since?: number }

/** Removes recordings and their references; the files are erased after the transaction. Returns all files. */
export const eraseRecordings = async (tables: Tables, recordings: readonly StoredRecording[], at: number): Promise<RecordingFile[]> => {
  const files: RecordingFile[] = []
  for (const { accountId, id } of recordings) files.push(...(await eraseParts(tables, accountId, id, at)))
  for (const recording of recordings) await forgetRecording(tables, recording, at)
  return files
}

/** The rows of a recording and of the files that continue it. */
const eraseParts = async (tables: Tables, accountId: string, id: string, at: number): Promise<RecordingFile[]> => {
  const parts = await tables.recordings.listParts(accountId, id)
  for (const part of parts) {
    await tables.recordings.remove(accountId, part.id)
    await eraseFile(tables, part, at)
  }
  return parts
}

/** For files that are already gone. */
export const forgetRecording = async (tables: Tables, { accountId, callId, id }: StoredRecording, at: number): Promise<void> => {
  await tables.recordings.remove(accountId, id)
  const entry = publishing(await tables.history.listBySession(accountId, callId), id)
  if (!entry) return
  const { recordings = [], ...detail } = entry.detail
  const left = recordings.filter((one) => recordingIdOf(one.id) !== id)
  await tables.history.update(accountId, entry.id, { detail: { ...detail, ...(left.length > 0 && { recordings: left }) } }, at)
}

/** Removes the whole history entry of a call with its recordings. */
export const eraseEntry = async (tables: Tables, clock: Clock, accountId: string, entry: HistoryEntry): Promise<RecordingFile[]> => {
  const at = clock.now()
  await tables.history.remove(accountId, entry.id)
  await forgetTimeline(tables, accountId, entry)
  const files: RecordingFile[] = []
  for (const id of recordingIdsOf(entry)) {
    const parts = await eraseParts(tables, accountId, id, at)
    if (parts.length > 0) files.push(...parts)
    else {
      await eraseFile(tables, { accountId, id }, at)
      files.push({ accountId, id })
    }
  }
  return files
}

/** Keeps the timeline while another entry refers to the same call: users who may read that entry may read the timeline, too. */
const forgetTimeline = async (tables: Tables, accountId: string, { sessionId }: HistoryEntry): Promise<void> => {
  const others = await tables.history.listBySession(accountId, sessionId)
  if (others.length === 0) await tables.timelines.remove(accountId, sessionId)
}

/** Erases immediately; failures are left to the job. */
export const concurrentErase = async (files: RecordingFiles, list: readonly RecordingFile[]): Promise<void> => {
  await Promise.allSettled(list.map((file) => files.erase(file)))
}

export const recordingIdsOf = ({ detail }: HistoryEntry): string[] => (detail.recordings ?? []).map(({ id }) => recordingIdOf(id))

/** Entries of earlier versions contain the file name instead. */
export const recordingIdOf = (written: string): string => written.replace(/^.*\//, '').replace(/\.wav$/, '')

/** The entry that contains the recording. */
export const publishing = (entries: readonly HistoryEntry[], recordingId: string): HistoryEntry | undefined =>
  entries.find((entry) => recordingIdsOf(entry).includes(recordingId))
