import { randomBytes } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { queueMail, type MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { takeAttempt } from '../identity/attempts/attempt-limits.ts'
import { hashSecret } from '../identity/tokens/tokens.ts'

const validHours = 24

interface EmailInput {
  accountId: string
  userId: string
  email: string
  ip: string
}

/** Sends a link to the new address; the old address stays valid until the link is opened. */
export const requestEmailChange = async (
  tables: Tables,
  parts: MailContext & { linkTo: (nonce: string) => string },
  { accountId, userId, email: given, ip }: EmailInput,
): Promise<string> => {
  const user = await tables.users.find(accountId, userId)
  if (!user) throw new Problem('user_not_found')
  const email = given.trim().toLowerCase()
  await takeAttempt(tables, parts.clock, { kind: 'invite', name: email, ip })
  if (await tables.users.isTaken(email)) throw Problem.field('email', 'belongs to another user', 'email_taken')
  const nonce = randomBytes(32).toString('base64url')
  const expiresAt = parts.clock.now() + validHours * 60 * 60 * 1000
  await tables.emailChanges.put(accountId, { userId, email, nonceHash: hashSecret(nonce), expiresAt })
  const link = parts.linkTo(nonce)
  const values = { hours: String(validHours), link }
  await queueMail(tables, parts, { accountId, to: email, locale: user.locale, template: 'email_change', values })
  return link
}

export const confirmEmailChange = async (tables: Tables, clock: Clock, nonce: string): Promise<string> => {
  const change = await tables.emailChanges.take(hashSecret(nonce), clock.now())
  const user = change && (await tables.users.find(change.accountId, change.userId))
  if (!change || !user?.active) throw new Problem('email_link_invalid')
  const { accountId, userId, email } = change
  if (!(await tables.users.setEmail(accountId, userId, email))) throw new Problem('email_taken')
  await auditByUser(tables, clock, { accountId, userId }, 'user.change_email', userId)
  return email
}
