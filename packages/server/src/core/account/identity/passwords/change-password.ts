import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { takeAttempt } from '../attempts/attempt-limits.ts'
import type { UserCaller } from '../caller/caller.ts'
import { requireStillValid } from '../login/log-in.ts'
import { requireGoodPassword } from './good-password.ts'

interface ChangeDeps {
  store: Store
  clock: Clock
  passwords: Passwords
}

/**
 * Requires the current password. Logs out every other login and connected app: a password is mostly
 * changed because somebody else may know it. Personal tokens were created on purpose and stay.
 */
export const changePassword = async (
  { store, clock, passwords }: ChangeDeps,
  { accountId, userId, tokenId }: UserCaller,
  { oldPassword, newPassword, ip }: { oldPassword: string; newPassword: string; ip: string },
): Promise<void> => {
  const user = await store.read.users.find(accountId, userId)
  const credentials = user && (await store.read.users.findCredentials(user.email))
  if (!credentials) throw new Problem('user_not_found')
  requireGoodPassword('newPassword', newPassword, user.email)
  const attempt = await store.write((tables) => takeAttempt(tables, clock, { kind: 'login', name: user.email, ip }))
  if (!(await passwords.matches(oldPassword, credentials.passwordHash)))
    throw Problem.field('oldPassword', 'is not the present password', 'password_wrong')
  const passwordHash = await passwords.hash(newPassword)
  await store.write(async (tables) => {
    await requireStillValid(tables, credentials)
    await tables.attempts.forgive(attempt)
    await tables.users.setPassword(accountId, userId, passwordHash)
    await tables.oidcRecords.removeBySubject(user.subject)
    await tables.passwordResets.removeByUser(accountId, userId)
    await tables.tokens.removeLogins({ accountId, userId }, tokenId)
    await auditByUser(tables, clock, { accountId, userId }, 'user.change_password', userId)
  })
}
