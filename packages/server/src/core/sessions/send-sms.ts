import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller.ts'
import { demand } from '../identity/permissions.ts'
import { reserveSms } from '../money/purse.ts'
import type { SmsLine } from '../ports/store/sms-lines.ts'
import type { Store } from '../ports/store/index.ts'
import { countSegments } from '../sms/segments.ts'
import { carryOut, orderingAccount, type SessionParts } from './paid-order.ts'
import { readRecipient } from './recipient.ts'

export interface SmsWish {
  smsId: string
  recipient: string
  message: string
  /** Seconds since the epoch. */
  sendAt?: number
}

const furthestAheadMs = 30 * 24 * 60 * 60 * 1000
/** Clocks differ: what should have been sent a moment ago is sent now. */
const lateMs = 60_000

export const sendSms = async (parts: SessionParts, user: UserCaller, sessionId: string, wish: SmsWish): Promise<void> => {
  const account = await orderingAccount(parts.store, user.accountId)
  const recipient = await readRecipient(parts.store, account, wish.recipient)
  const sendAt = readTime(wish.sendAt, parts.clock.now())
  const sms = await parts.store.read.smsLines.find(account.id, wish.smsId)
  if (!sms) throw new Problem('sms_not_found')
  await demand(parts.store, 'CAN_ACCOUNT_SEND_WEB_SMS', user, sms.owner)
  const sender = await findSender(parts.store, account.id, sms)
  if (recipient.side.premium) throw new Problem('destination_blocked')

  const { segments } = countSegments(wish.message)
  await carryOut(
    parts,
    account.id,
    (tables) => reserveSms(tables, parts.clock, { payer: account, sessionId, destination: recipient.side.costs, segments, sendAt }),
    () =>
      parts.line.sendSms({
        sessionId,
        accountId: account.id,
        userId: user.userId,
        smsId: sms.id,
        sender,
        recipient: recipient.e164,
        message: wish.message,
        sendAt,
      }),
  )
}

const readTime = (seconds: number | undefined, now: number): number => {
  if (seconds === undefined) return now
  const at = seconds * 1000
  if (at > now + furthestAheadMs) throw Problem.field('sendAt', 'must be at most 30 days ahead, in seconds since the epoch')
  if (at < now - lateMs) throw Problem.field('sendAt', 'lies in the past')
  return Math.max(at, now)
}

/** The default caller ID, which was verified, or a mobile number of the user: nobody writes in another's name. */
const findSender = async (store: Store, accountId: string, { owner, callerId }: SmsLine): Promise<string> => {
  if (callerId !== undefined) return callerId
  const numbers = await store.read.numbers.listByUser(accountId, owner)
  const mobile = numbers.find(({ type, state }) => type === 'MOBILE' && state === 'ACTIVE')?.e164
  if (mobile === undefined) throw new Problem('sms_sender_missing')
  return mobile
}
