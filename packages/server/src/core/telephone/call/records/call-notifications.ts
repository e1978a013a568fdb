import type { End, EndReason, Followed, HangupCause } from '#core/kernel/ports/calls.ts'
import { fullName } from '#core/account/accounts/create-account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { queueAnswer, queueHangup } from '#core/telephone/push/notifications.ts'
import type { RejectionCause, Side } from '../state/call-details.ts'

const byRejection: Record<RejectionCause, HangupCause> = {
  busy: 'busy',
  busy_on_busy: 'busy',
  do_not_disturb: 'busy',
  rejected: 'busy',
  anonymity_refused: 'busy',
  no_answer: 'noAnswer',
  answered_elsewhere: 'noAnswer',
  not_found: 'notFound',
  unavailable: 'notFound',
  unreachable: 'notFound',
  normal: 'normalClearing',
  forbidden: 'congestion',
  payment_required: 'congestion',
  daily_limit_reached: 'congestion',
  call_limit_reached: 'congestion',
  leash_spent: 'congestion',
  loop: 'congestion',
  not_acceptable: 'congestion',
  media_timeout: 'congestion',
  overloaded: 'congestion',
  out_of_service: 'congestion',
  failed: 'congestion',
}

const faults: readonly EndReason[] = ['failed', 'media_timeout', 'service_failure']

/** Notification cause for an extension, or all phones, that did not answer. */
export const causeOfRejection = (cause: Cause): HangupCause => byRejection[cause]

/** Notification cause for the end of a call. */
const causeOfEnd = ({ call, answered }: Followed, { refusal }: Side, { by, reason, cause }: End): HangupCause => {
  if (reason === 'transferred') return 'forwarded'
  if (answered) return faults.includes(reason) ? 'congestion' : 'normalClearing'
  if (by === 'caller' || by === 'api') return 'cancel'
  if (reason === 'service_shutdown') return 'congestion'
  return byRejection[(call.direction === 'in' ? refusal : undefined) ?? cause]
}

/** Part of the transaction that stores an answered call. Skips answers already notified. */
export const notifyAnswers = async (tables: Tables, sides: readonly Side[], at: number): Promise<void> => {
  for (const followed of sides.flatMap((side) => side.followed)) await notifyAnswer(tables, followed, at)
}

const notifyAnswer = async (tables: Tables, followed: Followed, at: number): Promise<void> => {
  const { answered, call } = followed
  if (followed.onAnswer === undefined || !answered) return
  const { number, userId } = answered
  const user = call.users.find(({ id }) => id === userId) ?? (await named(tables, call.accountId, userId))
  await queueAnswer(tables, followed, { answeringNumber: number, user }, at)
}

const named = async (tables: Tables, accountId: string, userId: string | undefined) => {
  const user = userId === undefined ? undefined : await tables.users.find(accountId, userId)
  return user && { id: user.id, name: fullName(user) }
}

/** Part of the transaction that writes the end of a call. */
export const notifyHangups = async (
  tables: Tables,
  sides: readonly Side[],
  { end, endedAt }: { end: End; endedAt: number },
): Promise<void> => {
  for (const side of sides)
    for (const followed of side.followed) await notifyHangup(tables, followed, causeOfEnd(followed, side, end), endedAt)
}

/** Sends a pending answer notification first. */
export const notifyHangup = async (tables: Tables, followed: Followed, cause: HangupCause, at: number): Promise<void> => {
  await notifyAnswer(tables, followed, at)
  await queueHangup(tables, followed, { cause, answeringNumber: followed.answered?.number }, at)
}
