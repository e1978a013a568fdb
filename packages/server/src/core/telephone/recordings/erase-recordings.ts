import type { Clock } from '#core/kernel/ports/clock.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredRecording } from '#core/kernel/ports/store/call/recordings.ts'
import type { RecordingFile } from '#core/kernel/ports/telephony.ts'

export const eraseJob = 'recording.erase'

/** The file goes when the transaction is through; as long as that does not work it is tried again. */
export const eraseFile = (tables: Tables, { accountId, id }: RecordingFile, at: number): Promise<void> =>
  tables.jobs.schedule({ id: `${eraseJob}:${accountId}:${id}`, kind: eraseJob, payload: { accountId, id }, dueAt: at })

/** Takes recordings away with what tells of them; their files go after the transaction. */
export const eraseRecordings = async (tables: Tables, recordings: readonly StoredRecording[], at: number): Promise<void> => {
  for (const recording of recordings) {
    await forgetRecording(tables, recording, at)
    await eraseFile(tables, recording, at)
  }
}

/** For files that are gone already. */
export const forgetRecording = async (tables: Tables, { accountId, callId, id }: StoredRecording, at: number): Promise<void> => {
  await tables.recordings.remove(accountId, id)
  const entry = publishing(await tables.history.listBySession(accountId, callId), id)
  if (!entry) return
  const { recordings = [], ...detail } = entry.detail
  const left = recordings.filter((one) => recordingIdOf(one.id) !== id)
  await tables.history.update(accountId, entry.id, { detail: { ...detail, ...(left.length > 0 && { recordings: left }) } }, at)
}

/** The whole entry of a call goes, and with it what was recorded. */
export const eraseEntry = async (tables: Tables, clock: Clock, accountId: string, entry: HistoryEntry): Promise<RecordingFile[]> => {
  const at = clock.now()
  await tables.history.remove(accountId, entry.id)
  await forgetTimeline(tables, accountId, entry)
  const files = recordingIdsOf(entry).map((id) => ({ accountId, id }))
  for (const file of files) {
    await tables.recordings.remove(accountId, file.id)
    await eraseFile(tables, file, at)
  }
  return files
}

/** Unless another entry tells of the same call: users who may read that one may hear it, too. */
const forgetTimeline = async (tables: Tables, accountId: string, { sessionId }: HistoryEntry): Promise<void> => {
  const others = await tables.history.listBySession(accountId, sessionId)
  if (others.length === 0) await tables.timelines.remove(accountId, sessionId)
}

/** Now; what does not work now is left to the job. */
export const concurrentErase = async (files: RecordingFiles, list: readonly RecordingFile[]): Promise<void> => {
  await Promise.allSettled(list.map((file) => files.erase(file)))
}

export const recordingIdsOf = ({ detail }: HistoryEntry): string[] => (detail.recordings ?? []).map(({ id }) => recordingIdOf(id))

/** Entries of earlier versions name the file instead. */
export const recordingIdOf = (written: string): string => written.replace(/^.*\//, '').replace(/\.wav$/, '')

/** Which of the entries has the recording. */
export const publishing = (entries: readonly HistoryEntry[], recordingId: string): HistoryEntry | undefined =>
  entries.find((entry) => recordingIdsOf(entry).includes(recordingId))
