import { scheduleNotification } from '#core/account/notifications/schedule-notification.ts'
import { release, settleSms } from '#core/money/reservations.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { ReceiptState } from '#core/kernel/ports/sms-routes.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms, TakenPart } from '#core/kernel/ports/store/message/messages.ts'
import { outcomeForProgram } from '../programs/program-notes.ts'
import type { SmsReason } from './reasons.ts'
import { detailOf, statusOf } from './sms-entry.ts'

/** Steps of a message that was sent. All are part of a transaction that has locked it. */

export const isWaiting = ({ state }: StoredSms): boolean => state === 'SCHEDULED' || state === 'PENDING'

/** A route has taken all of it: from now on it is paid for, whatever becomes of it. */
export const markSent = async (tables: Tables, clock: Clock, sms: StoredSms, parts: readonly TakenPart[]): Promise<void> => {
  await settleSms(tables, clock, sms.accountId, sms.id)
  const sent = await step(tables, clock, sms, { state: 'SENT', route: parts[0]?.route })
  if (sent) await judgeParts(tables, clock, sent, parts)
}

export const markDeliveredHere = async (tables: Tables, clock: Clock, sms: StoredSms): Promise<void> => {
  await release(tables, sms.accountId, sms.id)
  await step(tables, clock, sms, { state: 'DELIVERED', route: 'here' })
}

/** What a message centre took of it before it failed is paid for, the rest is not. */
export const markFailed = async (tables: Tables, clock: Clock, sms: StoredSms, reason: SmsReason): Promise<void> => {
  const taken = (await tables.messages.parts(sms.accountId, sms.id)).length
  if (taken === 0) await release(tables, sms.accountId, sms.id)
  else await settleSms(tables, clock, sms.accountId, sms.id, Math.min(1, taken / sms.segments))
  await step(tables, clock, sms, { state: 'FAILED', reason })
}

const failures: Partial<Record<ReceiptState, SmsReason>> = { UNDELIVERABLE: 'undeliverable', EXPIRED: 'expired', REJECTED: 'rejected' }

/** A message is as well off as the worst of its parts. No money comes back: carriers charge for taking it. */
export const judgeParts = async (tables: Tables, clock: Clock, sms: StoredSms, parts: readonly TakenPart[]): Promise<void> => {
  if (sms.state !== 'SENT') return
  const reason = parts.map(({ state }) => failures[state]).find((failure) => failure !== undefined)
  if (reason !== undefined) await step(tables, clock, sms, { state: 'FAILED', reason })
  else if (parts.every(({ state }) => state === 'DELIVERED')) await step(tables, clock, sms, { state: 'DELIVERED' })
}

/** Undefined when its entry is gone from the history: then it is forgotten. */
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

/** That it was sent, and that it failed; not that it arrived, too. */
const isNewEvent = (before: StoredSms, { state }: StoredSms): boolean =>
  state === 'FAILED' || (isWaiting(before) && (state === 'SENT' || state === 'DELIVERED'))

/** Few users ask for notifications of sent messages: no job without such a user. */
const isAskedFor = async ({ notifications }: Tables, { accountId, smsId }: StoredSms): Promise<boolean> =>
  smsId !== undefined && (await notifications.listByEndpoint(accountId, smsId)).length > 0

/** Its time has come. */
export const markPending = async (tables: Tables, clock: Clock, sms: StoredSms): Promise<StoredSms | undefined> =>
  sms.state === 'SCHEDULED' ? step(tables, clock, sms, { state: 'PENDING' }) : sms
