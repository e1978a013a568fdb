import { release } from '#core/money/reservations.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'
import { cancelSending } from '../state/sending-job.ts'

/** Part of the transaction that erases its history entry. Cancels a scheduled message; a message in transit is dropped by its sender. */
export const forgetSms = async (tables: Tables, accountId: string, id: string): Promise<void> => {
  const sms = await tables.messages.lock(accountId, id)
  if (sms?.state === 'SCHEDULED') await cancel(tables, sms)
  else if (sms && sms.state !== 'PENDING') await tables.messages.remove(accountId, id)
}

/** Part of the transaction that removes a user or account: cancels their scheduled messages. */
export const cancelScheduled = async (tables: Tables, accountId: string, userId?: string): Promise<void> => {
  for (const { id } of await tables.messages.listScheduled(accountId, userId)) {
    const sms = await tables.messages.lock(accountId, id)
    if (sms?.state !== 'SCHEDULED') continue
    await tables.history.remove(accountId, id)
    await cancel(tables, sms)
  }
}

const cancel = async (tables: Tables, sms: StoredSms): Promise<void> => {
  await cancelSending(tables, sms)
  await release(tables, sms.accountId, sms.id)
  await tables.messages.remove(sms.accountId, sms.id)
}
