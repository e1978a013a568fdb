import { scheduleNotification } from '#core/account/notifications/schedule-notification.ts'
import { release, settleSms } from '#core/money/reservations.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { ReceiptState } from '#core/kernel/ports/messages.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms, TakenPart } from '#core/kernel/ports/store/message.ts'
import { outcomeForProgram } from '../programs/program-notes.ts'
import type { SmsReason } from './reasons.ts'
import { detailOf, statusOf } from './sms-entry.ts'

/** State changes of a sent message. All are part of a transaction that has locked it. */

export const isWaiting = ({ state }: StoredSms): boolean => state === 'SCHEDULED' || state === 'PENDING'

/** A route has accepted all parts: charged from now on, whatever the outcome. */
export const markSent = async (tables: Tables, clock: Clock, sms: StoredSms, parts: readonly TakenPart[]): Promise<void> => {
  await settleSms(tables, clock, sms.accountId, sms.id)
  const sent = await step(tables, clock, sms, { state: 'SENT', route: parts[0]?.route })
  if (sent) await judgeParts(tables, clock, sent, parts)
}

export const markDeliveredHere = async (tables: Tables, clock: Clock, sms: StoredSms): Promise<void> => {
  await release(tables, sms.accountId, sms.id)
  await step(tables, clock, sms, { state: 'DELIVERED', route: 'here' })
}

/** Charges the parts that a message centre accepted before the failure, not the rest. */
export const markFailed = async (tables: Tables, clock: Clock, sms: StoredSms, reason: SmsReason): Promise<void> => {
  const taken = (await tables.messages.parts(sms.accountId, sms.id)).length
  if (taken === 0) await release(tables, sms.accountId, sms.id)
  else await settleSms(tables, clock, sms.accountId, sms.id, Math.min(1, taken / sms.segments))
  await step(tables, clock, sms, { state: 'FAILED', reason })
}

const failures: Partial<Record<ReceiptState, SmsReason>> = { UNDELIVERABLE: 'undeliverable', EXPIRED: 'expired', REJECTED: 'rejected' }

/** A message has the state of its worst part. No refund: carriers charge for acceptance. */
export const judgeParts = async (tables: Tables, clock: Clock, sms: StoredSms, parts: readonly TakenPart[]): Promise<void> => {
  if (sms.state !== 'SENT') return
  const reason = parts.map(({ state }) => failures[state]).find((failure) => failure !== undefined)
  if (reason !== undefined) await step(tables, clock, sms, { state: 'FAILED', reason })
  else if (parts.every(({ state }) => state === 'DELIVERED')) await step(tables, clock, sms, { state: 'DELIVERED' })
}

/** Undefined when its history entry is gone: then the message is removed. */
const step = async (
  tables: Tables,
  clock: Clock,
  sms: StoredSms,
  change: Partial<Pick<StoredSms, 'state' | 'route' | 'reason'>>,
): Promise<StoredSms | undefined> => {
  const at = clock.now()
  const { accountId, id } = sms
  const changed = { ...sms, ...change, changedAt: at }
  const known = sms.listed && (await tables.history.update(accountId, id, { status: statusOf(changed), detail: detailOf(changed) }, at))
  if (changed.state === 'DELIVERED' || changed.state === 'FAILED') await outcomeForProgram(tables, changed, at)
  if (!known && !isWaiting(changed)) {
    await tables.messages.remove(accountId, id)
    return undefined
  }
  await tables.messages.change(accountId, id, change, at)
  if (known && isNewEvent(sms, changed) && (await isAskedFor(tables, sms)))
    await scheduleNotification(tables, accountId, { id, modifiedAt: at })
  return changed
}

/** True for sent and failed; a delivery after that is not a new event. */
const isNewEvent = (before: StoredSms, { state }: StoredSms): boolean =>
  state === 'FAILED' || (isWaiting(before) && (state === 'SENT' || state === 'DELIVERED'))

/** Few users subscribe to sent messages: no job without such a user. */
const isAskedFor = async ({ notifications }: Tables, { accountId, smsId }: StoredSms): Promise<boolean> =>
  smsId !== undefined && (await notifications.listByEndpoint(accountId, smsId)).length > 0

/** Marks a due message pending. */
export const markPending = async (tables: Tables, clock: Clock, sms: StoredSms): Promise<StoredSms | undefined> =>
  sms.state === 'SCHEDULED' ? step(tables, clock, sms, { state: 'PENDING' }) : sms
