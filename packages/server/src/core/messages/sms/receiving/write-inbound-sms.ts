import { randomUUID } from 'node:crypto'
import { scheduleNotification } from '#core/account/notifications/schedule-notification.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number.ts'
import { addresseeOf } from './addressee.ts'
import { messageForProgram } from '../programs/program-notes.ts'
import { showOnPhones } from './show-on-phones.ts'
import { countSegments } from '../text/segments.ts'
import { entryOf } from '../state/sms-entry.ts'

interface ReceivedSms {
  sender: string
  text: string
  /** `smpp`, `gateway`, `trunk` or `here`. */
  route: string
  /** Id for duplicate detection, if the route has one: a known id is not written again. */
  id?: string
  /** Written by the service itself: never notified by SMS, because two such notifications could loop for ever. */
  byService?: boolean
}

/** Part of a transaction: writes the message to the addressee's history. Undefined when the number has no target. */
export const writeInboundSms = async (
  tables: Tables,
  number: AccountNumber,
  { sender, text, route, id = randomUUID(), byService = false }: ReceivedSms,
  at: number,
): Promise<StoredSms | undefined> => {
  const addressee = await addresseeOf(tables, number)
  if (!addressee || number.e164 === undefined) return undefined
  const { accountId, userId, smsId } = addressee
  const sms: StoredSms = {
    accountId,
    id,
    direction: 'INCOMING',
    listed: true,
    userId,
    smsId,
    sender,
    recipient: number.e164,
    text,
    segments: countSegments(text).segments,
    state: 'RECEIVED',
    route,
    reason: undefined,
    createdAt: at,
    changedAt: at,
    sendAt: at,
    giveUpAt: at,
  }
  if (!(await tables.messages.insert(sms))) return sms
  await tables.history.insert(accountId, entryOf(sms, addressee))
  await scheduleNotification(tables, accountId, { id: sms.id, modifiedAt: at }, { byMailOnly: byService })
  await messageForProgram(tables, sms, at)
  await showOnPhones(tables, sms)
  return sms
}
