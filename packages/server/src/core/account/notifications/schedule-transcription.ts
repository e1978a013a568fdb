import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { scheduleNotification } from './schedule-notification.ts'

export const transcriptionJob = 'voicemail.transcribe'

/** Job payload. */
export interface WantedText {
  accountId: string
  entryId: string
  /** Transcription requested later: no notification waits for it. */
  again?: true
}

/** Milliseconds a notification waits for the text before it is sent without. */
export const textTimeoutMs = 60_000

/** Whether the owner of the voicemail has enabled transcription. */
export const wantsText = async (tables: Tables, accountId: string, { type, connectionIds }: HistoryEntry): Promise<boolean> => {
  if (type !== 'VOICEMAIL') return false
  const boxes = connectionIds.filter((id) => id.startsWith('v'))
  const voicemails = await Promise.all(boxes.map((id) => tables.voicemails.find(accountId, id)))
  return voicemails.some((voicemail) => voicemail?.transcription === true)
}

/** Part of the transaction that stores the message. */
export const scheduleTranscription = async (
  tables: Tables,
  accountId: string,
  { id: entryId, modifiedAt }: HistoryEntry,
): Promise<void> => {
  await scheduleText(tables, { accountId, entryId }, modifiedAt)
  await scheduleNotification(tables, accountId, { id: entryId, modifiedAt: modifiedAt + textTimeoutMs })
}

/** Called when the text is ready or has failed. Moves the notification job only while it is certainly pending, so that it runs once. */
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
