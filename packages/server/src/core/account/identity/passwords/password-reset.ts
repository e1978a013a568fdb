import { randomBytes, randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { queueMail, type MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { User } from '#core/kernel/ports/store/account.ts'
import { takeAttempt } from '../attempts/attempt-limits.ts'
import { refuseGuessable, requireLength } from './good-password.ts'
import { knownBrowser, type MarkDeps } from '../attempts/browser-marks.ts'
import { revokeUser } from '../tokens/grants.ts'
import { hashSecret } from '../tokens/tokens.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const resetMailJob = 'identity.reset_mail'

const validMinutes = 30

/**
 * Only schedules a job. The job looks up the user, so that neither the answer nor its duration reveals whether the user
 * exists.
 */
export const requestPasswordReset = async (
  tables: Tables,
  deps: MarkDeps,
  { username, ip, marks }: { username: string; ip: string; marks: string },
): Promise<void> => {
  const { clock } = deps
  await takeAttempt(tables, clock, { kind: 'reset', name: username, ip, browser: knownBrowser(deps, marks, username) })
  await tables.jobs.schedule({ id: `${resetMailJob}.${randomUUID()}`, kind: resetMailJob, payload: { username }, dueAt: clock.now() })
}

/** Sends the link if the user exists. `linkTo` builds it from the nonce; only the nonce's hash is stored. */
export const sendResetMail = async (
  tables: Tables,
  room: MailContext,
  username: string,
  linkTo: (nonce: string) => string,
): Promise<void> => {
  const credentials = await tables.users.findCredentials(username)
  const user = credentials && (await tables.users.find(credentials.accountId, credentials.userId))
  if (!user) return
  const { accountId } = credentials
  const createdAt = room.clock.now()
  const nonce = randomBytes(32).toString('base64url')
  const expiresAt = createdAt + validMinutes * 60_000
  await tables.passwordResets.insert(accountId, { userId: user.id, nonceHash: hashSecret(nonce), createdAt, expiresAt })
  const values = { link: linkTo(nonce), minutes: String(validMinutes) }
  await queueMail(tables, room, { accountId, to: user.email, locale: user.locale, template: 'password_reset', values })
}

interface ResetDeps {
  store: Store
  clock: Clock
  passwords: Passwords
}

export const isOpenReset = async ({ store, clock }: Pick<ResetDeps, 'store' | 'clock'>, nonce: string): Promise<boolean> =>
  (await store.read.passwordResets.findOpen(hashSecret(nonce), clock.now())) !== undefined

/** Sets the password, once per nonce, and revokes every login of the user. */
export const resetPassword = async (
  { store, clock, passwords }: ResetDeps,
  nonce: string,
  { password, passwordRepeat }: { password: string; passwordRepeat: string },
): Promise<void> => {
  requireLength(password)
  if (password !== passwordRepeat) throw Problem.field('passwordRepeat', 'must be the same as password')
  const nonceHash = hashSecret(nonce)
  const reset = await store.read.passwordResets.findOpen(nonceHash, clock.now())
  const user = reset && (await store.read.users.find(reset.accountId, reset.userId))
  if (!user) throw new Problem('reset_nonce_unknown')
  refuseGuessable(password, user.email)
  const passwordHash = await passwords.hash(password)
  await store.write(async (tables) => {
    if (!(await tables.passwordResets.use(nonceHash, clock.now()))) throw new Problem('reset_nonce_unknown')
    await setPassword(tables, clock, reset.accountId, user, passwordHash)
  })
}

const setPassword = async (tables: Tables, clock: Clock, accountId: string, user: User, passwordHash: string): Promise<void> => {
  await tables.users.setPassword(accountId, user.id, passwordHash)
  await revokeUser(tables, accountId, user)
  await auditByUser(tables, clock, { accountId, userId: user.id }, 'user.reset_password', user.id)
}
