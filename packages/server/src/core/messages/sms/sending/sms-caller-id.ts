import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SmsCallerId, SmsLine } from '#core/kernel/ports/store/line.ts'
import { addresseeOf } from '../receiving/addressee.ts'
import { requireRoute } from './require-route.ts'
import { queueServiceSms } from './service-sms.ts'
import type { SmsParts } from '../state/sms-parts.ts'
import { text } from '#core/kernel/translations/index.ts'
import { readOutsideNumber } from '#core/account/lines/destination.ts'

const codeMinutes = 10
const tries = 5
const maxCallerIds = 20
/** Codes cost money and reach third-party phones, so they are rate-limited per account. */
const codesPerHour = 10
const hour = 3_600_000

export const newCode = (): string => String(randomInt(0, 1_000_000)).padStart(6, '0')

interface CodeParts {
  clock: Clock
  sms: Pick<SmsParts, 'routes' | 'serviceSender'>
}

/** Stores the number and sends the code to it. A pending number gets a new code and new attempts. */
export const requestCallerId = async (
  tables: Tables,
  { clock, sms }: CodeParts,
  accountId: string,
  { line, phonenumber, code }: { line: SmsLine; phonenumber: string; code: string },
): Promise<SmsCallerId> => {
  const now = clock.now()
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  const phoneNumber = readOutsideNumber('phonenumber', phonenumber, account.country)
  await tables.accounts.lock(accountId) // prevents concurrent requests from both taking the last allowed place
  const present = await tables.smsLines.callerIds(accountId, line.id)
  const known = present.find((callerId) => callerId.phoneNumber === phoneNumber)
  if (known?.verified) throw Problem.field('phonenumber', 'is verified already', 'already_exists')
  if (!known && present.length >= maxCallerIds) throw new Problem('conflict', `An SMS extension has at most ${maxCallerIds} senders.`)
  await requireRoute(tables, sms, phoneNumber)
  await requireReader(tables, phoneNumber)
  await limitCodes(tables, accountId, now)
  const sent = { hash: hashSecret(code), expiresAt: now + codeMinutes * 60_000 }
  const id = await tables.smsLines.awaitCode(accountId, line.id, phoneNumber, sent)
  if (id === undefined) throw Problem.field('phonenumber', 'is verified already', 'already_exists')
  const message = text(account.locale, 'sms.caller_id_code.text', { code, minutes: codeMinutes })
  const about = { id: randomUUID(), account, recipient: phoneNumber, text: message }
  await queueServiceSms(tables, clock, { ...about, sender: sms.serviceSender, giveUpAt: sent.expiresAt, paid: false })
  return { id, phoneNumber, verified: false, isDefault: false }
}

/** Rejects a local number without a target: its code would never be read. */
const requireReader = async (tables: Tables, phoneNumber: string): Promise<void> => {
  const number = await tables.numbers.findCallable(phoneNumber)
  if (number && !(await addresseeOf(tables, number)))
    throw Problem.field('phonenumber', 'leads nowhere, so nobody would read the code', 'number_invalid')
}

const limitCodes = async (tables: Tables, accountId: string, now: number): Promise<void> => {
  const taken = await tables.attempts.take({ bucket: `callerid:account:${accountId}`, limit: codesPerHour, windowMs: hour }, now)
  if ('fullSince' in taken)
    throw new Problem('rate_limited', 'Too many codes were sent from this account.', {
      retryAfter: Math.max(1, Math.ceil((taken.fullSince + hour - now) / 1000)),
    })
}

/** Returns whether the code was right. A wrong one must be stored as well, so it is not thrown inside the transaction. */
export const tryCode = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  { line, id, code }: { line: SmsLine; id: number; code: string },
): Promise<boolean> => {
  const now = clock.now()
  const callerId = await findCallerId(tables, accountId, line, id)
  if (callerId.verified) return true
  const hash = await tables.smsLines.takeTry(accountId, line.id, id, { tries, now })
  if (hash === undefined) throw new Problem('verification_code_spent')
  if (!timingSafeEqual(Buffer.from(hash), Buffer.from(hashSecret(code.trim())))) return false
  await tables.smsLines.markVerified(accountId, line.id, id, now)
  return true
}

/** Requires proof of holding the number before it becomes the sender. */
export const setDefaultCallerId = async (
  tables: Tables,
  accountId: string,
  { line, id, wanted }: { line: SmsLine; id: number; wanted: boolean },
): Promise<void> => {
  await tables.accounts.lock(accountId)
  const { verified, isDefault } = await findCallerId(tables, accountId, line, id)
  if (wanted && !verified) throw new Problem('conflict', 'The number is not verified yet.')
  if (wanted !== isDefault) await tables.smsLines.setDefault(accountId, line.id, wanted ? id : undefined)
}

const findCallerId = async (tables: Tables, accountId: string, line: SmsLine, id: number): Promise<SmsCallerId> => {
  const callerId = await tables.smsLines.findCallerId(accountId, line.id, id)
  if (!callerId) throw new Problem('caller_id_not_found')
  return callerId
}
