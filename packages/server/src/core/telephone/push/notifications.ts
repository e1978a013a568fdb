import { createHash } from 'node:crypto'
import type { Followed, DescribableCall } from '#core/kernel/ports/call-guide.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { answerBody, hangupBody, type AnswerFacts, type HangupFacts } from './form-body.ts'

/** What stands in the outbox for an answer or a hangup. The body is made once, so that it is the same in every try. */
export interface CallNotification {
  event: 'answer' | 'hangup'
  call: Pick<DescribableCall, 'accountId' | 'callId' | 'direction' | 'lines'>
  url: string
  body: string
  /** The notification of the same account that is delivered before it. */
  after: string | undefined
}

export const notificationKind = 'call_notice'

type Queue = Pick<Tables, 'outbox'>

/** In the transaction that writes the fact. Nothing when the account did not ask for it; a second time changes nothing. */
export const queueAnswer = async (tables: Queue, { call, onAnswer }: Followed, facts: AnswerFacts, at: number): Promise<void> => {
  if (onAnswer !== undefined)
    await put(tables, call, { event: 'answer', url: onAnswer, body: answerBody(call, facts), after: undefined }, at)
}

/** The same for the end. It is delivered after the answer of the same call. */
export const queueHangup = async (tables: Queue, { call, onHangup }: Followed, facts: HangupFacts, at: number): Promise<void> => {
  const after = notificationId(call, 'answer')
  if (onHangup !== undefined) await put(tables, call, { event: 'hangup', url: onHangup, body: hangupBody(call, facts), after }, at)
}

const put = async ({ outbox }: Queue, call: DescribableCall, notification: Omit<CallNotification, 'call'>, at: number): Promise<void> => {
  const { accountId, callId, direction, lines } = call
  const payload: CallNotification = { ...notification, call: { accountId, callId, direction, lines } }
  await outbox.putOnce({ id: notificationId(call, notification.event), accountId, kind: notificationKind, payload, at })
}

/** Made from the call and the event, so that two processes that know of the same end notify once. Two accounts may be in one call. */
const notificationId = ({ accountId, callId }: DescribableCall, event: CallNotification['event']): string =>
  `call_${createHash('sha256').update(`${accountId} ${callId} ${event}`).digest('hex').slice(0, 32)}`
