import { createHash } from 'node:crypto'
import type { Followed, DescribableCall } from '#core/kernel/ports/calls.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { answerBody, hangupBody, type AnswerFacts, type HangupFacts } from './form-body.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { DeadLetter } from '#core/kernel/ports/store/work.ts'
import { withoutCredentials } from './exchange-log.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

/** Outbox entry for an answer or a hangup. The body is built once, so that every attempt sends the same bytes. */
export interface CallNotification {
  event: 'answer' | 'hangup'
  call: Pick<DescribableCall, 'accountId' | 'callId' | 'direction' | 'lines'>
  url: string
  body: string
  /** Id of the same account's notification that is delivered first. */
  after: string | undefined
}

export const notificationKind = 'call_notice'

type Queue = Pick<Tables, 'outbox'>

/** Part of the transaction that writes the fact. Does nothing without a subscription; idempotent. */
export const queueAnswer = async (tables: Queue, { call, onAnswer }: Followed, facts: AnswerFacts, at: number): Promise<void> => {
  if (onAnswer !== undefined)
    await put(tables, call, { event: 'answer', url: onAnswer, body: answerBody(call, facts), after: undefined }, at)
}

/** Like `queueAnswer`, for the hangup. Delivered after the answer of the same call. */
export const queueHangup = async (tables: Queue, { call, onHangup }: Followed, facts: HangupFacts, at: number): Promise<void> => {
  const after = notificationId(call, 'answer')
  if (onHangup !== undefined) await put(tables, call, { event: 'hangup', url: onHangup, body: hangupBody(call, facts), after }, at)
}

const put = async ({ outbox }: Queue, call: DescribableCall, notification: Omit<CallNotification, 'call'>, at: number): Promise<void> => {
  const { accountId, callId, direction, lines } = call
  const payload: CallNotification = { ...notification, call: { accountId, callId, direction, lines } }
  await outbox.putOnce({ id: notificationId(call, notification.event), accountId, kind: notificationKind, payload, at })
}

/** Derived from account, call and event, so that two nodes that see the same end notify once. Two accounts may share a call. */
const notificationId = ({ accountId, callId }: DescribableCall, event: CallNotification['event']): string =>
  `call_${createHash('sha256').update(`${accountId} ${callId} ${event}`).digest('hex').slice(0, 32)}`

interface Undelivered {
  id: string
  event: CallNotification['event']
  callId: string
  createdAt: number
  url: string
  request: string
  attempts: number
  error: string
}

/** Abandoned notifications of an account, newest first. */
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

/** Restarts delivery from the first attempt. */
export const redeliverNotification = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  const found = await tables.outbox.findDeadOf(caller.accountId, notificationKind, id)
  if (!found || !(await tables.outbox.revive(id, clock.now()))) throw new Problem('dead_letter_not_found')
  await auditByUser(tables, clock, caller, 'push.redeliver', id)
}
