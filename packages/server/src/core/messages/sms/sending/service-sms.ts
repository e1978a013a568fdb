import { reserveSms } from '#core/money/reservations.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'
import { countSegments } from '../text/segments.ts'
import { scheduleSending } from '../state/sending-job.ts'

interface ServiceSms {
  /** The same for every repetition. */
  id: string
  account: Account
  sender: string
  /** E.164 */
  recipient: string
  text: string
  /** Time after which the message is useless. */
  giveUpAt: number
  /** Whether the account is charged. Throws `insufficient_funds`. */
  paid: boolean
}

/** Part of a transaction: a message from the service itself. Not listed in the history and not notified. */
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
  // Reserves first: without funds nothing is written.
  const destination = here ? undefined : recipient
  if (paid) await reserveSms(tables, clock, { payer: account, sessionId: id, destination, segments, sendAt: giveUpAt })
  if (!(await tables.messages.insert(sms))) return
  await scheduleSending(tables, sms)
}
