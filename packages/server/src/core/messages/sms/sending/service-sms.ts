import { reserveSms } from '#core/money/reservations.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message/messages.ts'
import { countSegments } from '../text/segments.ts'
import { scheduleSending } from '../state/sending-job.ts'

export interface ServiceSms {
  /** The same for every repetition. */
  id: string
  account: Account
  sender: string
  /** E.164 */
  recipient: string
  text: string
  /** Later it is of no use. */
  giveUpAt: number
  /** Whether the account pays for it. Throws `insufficient_funds`. */
  paid: boolean
}

/** Part of a transaction: something the service itself writes. It is not listed in the history and not notified. */
export const queueServiceSms = async (tables: Tables, clock: Clock, input: ServiceSms): Promise<void> => {
  const { id, account, sender, recipient, text, giveUpAt, paid } = input
  const now = clock.now()
  const { segments } = countSegments(text)
  const here = (await tables.numbers.findCallable(recipient)) !== undefined
  const sms: StoredSms = {
    accountId: account.id,
    id,
    direction: 'OUTGOING',
    listed: false,
    userId: undefined,
    smsId: undefined,
    sender,
    recipient,
    text,
    segments,
    state: 'PENDING',
    route: here ? 'here' : undefined,
    reason: undefined,
    createdAt: now,
    changedAt: now,
    sendAt: now,
    giveUpAt,
  }
  // Money first: when there is none, nothing has been written.
  const destination = here ? undefined : recipient
  if (paid) await reserveSms(tables, clock, { payer: account, sessionId: id, destination, segments, sendAt: giveUpAt })
  if (!(await tables.messages.insert(sms))) return
  await scheduleSending(tables, sms)
}
