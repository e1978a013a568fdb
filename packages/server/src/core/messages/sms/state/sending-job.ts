import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'

export const sendJob = 'sms.send'

export const scheduleSending = (tables: Tables, { accountId, id, sendAt }: StoredSms): Promise<void> =>
  tables.jobs.schedule({ id: `${sendJob}:${accountId}:${id}`, kind: sendJob, payload: { accountId, id }, dueAt: sendAt })

export const cancelSending = (tables: Tables, { accountId, id }: StoredSms): Promise<void> =>
  tables.jobs.cancel(`${sendJob}:${accountId}:${id}`)
