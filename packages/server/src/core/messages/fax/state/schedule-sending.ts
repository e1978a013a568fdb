import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

export const sendJob = 'fax.send'

/** Fax id in job payloads. */
export type FaxName = Pick<Fax, 'accountId' | 'id'>

export const scheduleSending = (tables: Tables, { accountId, id }: FaxName, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${sendJob}:${accountId}:${id}`, kind: sendJob, payload: { accountId, id }, dueAt })

export const cancelSending = (tables: Tables, { accountId, id }: FaxName): Promise<void> =>
  tables.jobs.cancel(`${sendJob}:${accountId}:${id}`)
