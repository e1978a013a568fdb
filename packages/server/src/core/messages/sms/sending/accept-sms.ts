import { Problem } from '@offhook/contract/problem.ts'
import type { SmsOrder } from '#core/kernel/ports/calls.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'
import { release } from '#core/money/reservations.ts'
import { isWaiting } from '../state/outcome.ts'
import { requireRoute } from './require-route.ts'
import { countSegments } from '../text/segments.ts'
import { scheduleSending } from '../state/sending-job.ts'
import { entryOf } from '../state/sms-entry.ts'
import type { SmsParts } from '../state/sms-parts.ts'

const hour = 3_600_000
/** Milliseconds to retry for a route. */
const validityMs = 24 * hour

/** Implements `Orders.sendSms`. Throws a Problem when there is no route. */
export const acceptSms = async (deps: SmsParts, order: SmsOrder): Promise<void> => {
  await deps.store.write((tables) => accept(tables, deps, order))
  deps.wake()
}

const accept = async (tables: Tables, deps: SmsParts, order: SmsOrder): Promise<void> => {
  const { accountId, sessionId, smsId } = order
  const here = await requireRoute(tables, deps, order.recipient)
  const sms = toStored(order, deps.clock.now(), here)
  if (!(await tables.messages.insert(sms))) return endRepetition(tables, accountId, sessionId)
  // From now on the reservation belongs to the message and lasts as long as it.
  if (!(await tables.balances.claim(accountId, sessionId, `sms:${sessionId}`))) throw new Problem('unavailable')
  await tables.balances.keepUntil(accountId, sessionId, sms.giveUpAt + hour)
  const line = await tables.smsLines.find(accountId, smsId)
  await tables.history.insert(accountId, entryOf(sms, { connectionIds: [smsId], alias: line?.alias ?? '' }))
  await scheduleSending(tables, sms)
}

/** Handles a repeated order. If the message is finished, releases the new reservation. */
const endRepetition = async (tables: Tables, accountId: string, id: string): Promise<void> => {
  const sms = await tables.messages.find(accountId, id)
  if (sms && !isWaiting(sms)) await release(tables, accountId, id)
}

const toStored = (order: SmsOrder, now: number, here: boolean): StoredSms => ({
  accountId: order.accountId,
  id: order.sessionId,
  direction: 'OUTGOING',
  listed: true,
  userId: order.userId,
  smsId: order.smsId,
  sender: order.sender,
  recipient: order.recipient,
  text: order.message,
  segments: countSegments(order.message).segments,
  state: order.sendAt > now ? 'SCHEDULED' : 'PENDING',
  route: here ? 'here' : undefined,
  reason: undefined,
  createdAt: now,
  changedAt: now,
  sendAt: order.sendAt,
  giveUpAt: order.sendAt + validityMs,
})
