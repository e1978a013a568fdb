import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { DeadLetter } from '#core/kernel/ports/store/work/outbox.ts'
import { notificationKind, type CallNotification } from './notifications.ts'
import { withoutCredentials } from './web-credentials.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

export interface Undelivered {
  id: string
  event: CallNotification['event']
  callId: string
  createdAt: number
  url: string
  request: string
  attempts: number
  error: string
}

/** Notifications of an account that were given up, the latest first. */
export const listUndelivered = async (
  { outbox }: Tables,
  accountId: string,
  page: { offset: number; limit: number },
): Promise<{ items: Undelivered[]; totalCount: number }> => ({
  items: (await outbox.listDeadOf(accountId, notificationKind, page)).map(toUndelivered),
  totalCount: await outbox.countDeadOf(accountId, notificationKind),
})

const toUndelivered = ({ id, payload, createdAt, attempts, lastError }: DeadLetter): Undelivered => {
  const { event, call, url, body } = payload as CallNotification
  return { id, event, callId: call.callId, createdAt, url: withoutCredentials(url).url, request: body, attempts, error: lastError }
}

/** Tries it again from the beginning. */
export const redeliverNotification = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  const found = await tables.outbox.findDeadOf(caller.accountId, notificationKind, id)
  if (!found || !(await tables.outbox.revive(id, clock.now()))) throw new Problem('dead_letter_not_found')
  await auditByUser(tables, clock, caller, 'push.redeliver', id)
}
