import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { scheduleNotification } from './schedule-notification.ts'

export const transcriptionJob = 'voicemail.transcribe'

/** What is to be written down, in the payload of the job. */
export interface WantedText {
  accountId: string
  entryId: string
  /** Nobody waits for it to be told: it was asked for later. */
  again?: true
}

/** So long a notification waits for the text, then it goes out without. */
export const textTimeoutMs = 60_000

/** Whether the owner of the voicemail wants messages as text. */
export const wantsText = async (tables: Tables, accountId: string, { type, connectionIds }: HistoryEntry): Promise<boolean> => {
  if (type !== 'VOICEMAIL') return false
  const boxes = connectionIds.filter((id) => id.startsWith('v'))
  const voicemails = await Promise.all(boxes.map((id) => tables.voicemails.find(accountId, id)))
  return voicemails.some((voicemail) => voicemail?.transcription === true)
}

/** Part of the transaction that keeps the message. */
export const scheduleTranscription = async (
  tables: Tables,
  accountId: string,
  { id: entryId, modifiedAt }: HistoryEntry,
): Promise<void> => {
  await scheduleText(tables, { accountId, entryId }, modifiedAt)
  await scheduleNotification(tables, accountId, { id: entryId, modifiedAt: modifiedAt + textTimeoutMs })
}

/** The text is there, or will never be. The job that tells is moved only while it surely waits: it is done once. */
export const notifyNow = async (tables: Tables, accountId: string, { id, modifiedAt }: HistoryEntry, now: number): Promise<void> => {
  if (now < modifiedAt + textTimeoutMs) await scheduleNotification(tables, accountId, { id, modifiedAt: now })
}

export const scheduleText = (tables: Tables, wanted: WantedText, dueAt: number): Promise<void> =>
  tables.jobs.schedule({
    id: `${transcriptionJob}:${wanted.accountId}:${wanted.entryId}`,
    kind: transcriptionJob,
    payload: wanted,
    dueAt,
  })
