import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { reserveOnLeash } from '#core/money/leash.ts'
import { reserveSms, type SmsInput as PaidSms } from '#core/money/reservations.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Reservation } from '#core/kernel/ports/store/money.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { SmsLine } from '#core/kernel/ports/store/line.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { countSegments } from '../sms/text/segments.ts'
import { sendersOf } from '../sms/sending/senders.ts'
import { carryOut, orderingAccount, type SessionDeps } from '#core/money/paid-order.ts'
import { readRecipient } from './recipient.ts'
import { requireCapacity, type Caps } from '#core/money/reserve-capped.ts'

interface SmsInput {
  smsId: string
  recipient: string
  message: string
  /** A verified caller ID of the extension; default: its default sender. */
  sender?: string
  /** Seconds since the epoch, may have a fraction. */
  sendAt?: number
}

const furthestAheadMs = 30 * 24 * 60 * 60 * 1000
/** Tolerated clock skew in milliseconds: a time slightly in the past means now. */
const lateMs = 60_000

/** Dependencies with any service that sends SMS. */
export type SmsOrderDeps = Omit<SessionDeps, 'orders'> & { orders: Pick<SessionDeps['orders'], 'sendSms'> }

export const sendSms = async (deps: SmsOrderDeps, user: UserCaller, sessionId: string, input: SmsInput): Promise<void> => {
  const account = await orderingAccount(deps.store, user.accountId)
  const recipient = await readRecipient(deps.store, account, input.recipient)
  const sendAt = readTime(input.sendAt, deps.clock.now())
  const sms = await deps.store.read.smsLines.find(account.id, input.smsId)
  if (!sms) throw new Problem('sms_not_found')
  await demand(deps.store, 'CAN_ACCOUNT_SEND_WEB_SMS', user, sms.owner)
  const sender = await findSender(deps.store, account, sms, input.sender)
  if (recipient.side.premium) throw new Problem('destination_blocked')

  const { segments } = countSegments(input.message)
  await carryOut(
    deps,
    user,
    (tables) => {
      const by = { userId: user.userId, number: sender }
      const money = { payer: account, sessionId, destination: recipient.side.costs, segments, sendAt, by }
      const order = { sessionId, kind: 'sms', targets: [recipient.e164], at: sendAt } as const
      return reserveOnLeash(tables, deps.clock, user, order, (leash) => reserve(tables, deps.clock, { ...money, leash }))
    },
    () =>
      deps.orders.sendSms({
        sessionId,
        accountId: account.id,
        userId: user.userId,
        smsId: sms.id,
        sender,
        recipient: recipient.e164,
        message: input.message,
        sendAt,
      }),
  )
}

const caps: Caps = { openAtOnce: 10_000, startedPerSecond: 100, what: 'messages' }

const reserve = async (tables: Tables, clock: Clock, input: PaidSms): Promise<Reservation> => {
  const known = await tables.balances.findReservation(input.payer.id, input.sessionId)
  const reservation = await reserveSms(tables, clock, input)
  if (known === undefined || known.state === 'RELEASED') await requireCapacity(tables, clock.now(), { ...input, purpose: 'SMS' }, caps)
  return reservation
}

const readTime = (seconds: number | undefined, now: number): number => {
  if (seconds === undefined) return now
  const at = Math.round(seconds * 1000)
  if (at > now + furthestAheadMs) throw Problem.field('sendAt', 'must be at most 30 days ahead, in seconds since the epoch')
  if (at < now - lateMs) throw Problem.field('sendAt', 'lies in the past')
  return Math.max(at, now)
}

/** Requires a number that the user has proved to hold: prevents forged senders. */
const findSender = async (store: Store, account: Account, line: SmsLine, wanted: string | undefined): Promise<string> => {
  const senders = await sendersOf(store.read, account.id, line)
  const sender = wanted === undefined ? senders[0] : parseNumber(wanted, account.country)?.e164
  if (sender === undefined && wanted === undefined) throw new Problem('sms_sender_missing')
  if (sender === undefined || !senders.includes(sender)) throw new Problem('sms_sender_not_verified')
  return sender
}
