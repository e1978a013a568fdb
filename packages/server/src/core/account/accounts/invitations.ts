import { randomBytes, randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserRole } from '@offhook/contract/roles.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { queueMail, type MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import type { Credentials } from '#core/kernel/ports/store/account.ts'
import type { Invitation } from '#core/kernel/ports/store/identity.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import { takeAttempt } from '../identity/attempts/attempt-limits.ts'
import { requireGoodPassword } from '../identity/passwords/good-password.ts'
import type { Standing } from '../identity/second-factor/prove.ts'
import { hashSecret } from '../identity/tokens/tokens.ts'
import { maxUsers } from './add-user.ts'
import { createUser } from './create-account.ts'
import { fullName } from './create-account.ts'

const validDays = 7
const day = 24 * 60 * 60 * 1000

interface InvitationDeps extends MailContext {
  /** Address of the page where an invited person chooses a password. */
  linkTo: (nonce: string) => string
}

interface InvitationInput {
  email: string
  firstname?: string
  lastname?: string
  role?: UserRole
  lineName?: string
  locale?: Locale
}

/** Inviting user and source of the request. */
interface Inviting {
  accountId: string
  userId: string
  ip: string
}

export interface Sent {
  id: string
  expiresAt: number
  link: string
}

/** Replaces an earlier invitation to the same address. */
export const invite = async (tables: Tables, deps: InvitationDeps, who: Inviting, input: InvitationInput): Promise<Sent> => {
  const { accountId, userId, ip } = who
  const email = input.email.trim().toLowerCase()
  await takeAttempt(tables, deps.clock, { kind: 'invite', name: email, ip })
  await tables.accounts.lock(accountId) // keeps the count exact
  const [users, waiting, account] = [
    await tables.users.list(accountId),
    await tables.invitations.list(accountId),
    await tables.accounts.find(accountId),
  ]
  if (!account) throw new Problem('account_not_found')
  if (users.length + waiting.length >= maxUsers) throw new Problem('user_limit_reached')
  await tables.invitations.removeByEmail(accountId, email)
  const now = deps.clock.now()
  const { firstname = '', lastname = '', role = 'USER', lineName = '', locale = account.locale } = input
  const invitation = { id: randomUUID(), email, firstname, lastname, role, lineName, locale, invitedBy: userId, createdAt: now }
  const sent = await send(tables, deps, who, { ...invitation, expiresAt: 0 }, (nonceHash, expiresAt) =>
    tables.invitations.insert(accountId, { ...invitation, nonceHash, expiresAt }),
  )
  await auditByUser(tables, deps.clock, who, 'invitation.create', sent.id, { role })
  return sent
}

export const resendInvitation = async (tables: Tables, deps: InvitationDeps, who: Inviting, id: string): Promise<Sent> => {
  const invitation = await tables.invitations.find(who.accountId, id)
  if (!invitation) throw new Problem('invitation_not_found')
  await takeAttempt(tables, deps.clock, { kind: 'invite', name: invitation.email, ip: who.ip })
  const sent = await send(tables, deps, who, invitation, async (nonceHash, expiresAt) => {
    await tables.invitations.renew(who.accountId, id, { nonceHash, expiresAt })
  })
  await auditByUser(tables, deps.clock, who, 'invitation.resend', id)
  return sent
}

/** `keep` stores the hash of the link's nonce. */
const send = async (
  tables: Tables,
  deps: InvitationDeps,
  { accountId, userId }: Inviting,
  { id, email, locale }: Invitation,
  keep: (nonceHash: string, expiresAt: number) => Promise<void>,
): Promise<Sent> => {
  if (await tables.users.isTaken(email)) throw Problem.field('email', 'belongs to another user', 'email_taken')
  const nonce = randomBytes(32).toString('base64url')
  const expiresAt = deps.clock.now() + validDays * day
  await keep(hashSecret(nonce), expiresAt)
  const [account, inviter] = [await tables.accounts.find(accountId), await tables.users.find(accountId, userId)]
  const link = deps.linkTo(nonce)
  const values = { company: account?.company ?? '', inviter: inviter ? fullName(inviter) : '', days: String(validDays), link }
  await queueMail(tables, deps, { accountId, to: email, locale, template: 'invitation', values })
  return { id, expiresAt, link }
}

export const withdrawInvitation = async (
  tables: Tables,
  clock: Clock,
  who: { accountId: string; userId: string },
  id: string,
): Promise<void> => {
  if (!(await tables.invitations.remove(who.accountId, id))) throw new Problem('invitation_not_found')
  await auditByUser(tables, clock, who, 'invitation.delete', id)
}

/** Returns the open invitation of a link, with its account. */
export const openInvitation = async (tables: Tables, nonce: string, now: number) => {
  const invitation = await tables.invitations.findOpen(hashSecret(nonce), now)
  const account = invitation && (await tables.accounts.find(invitation.accountId))
  if (!account) throw new Problem('invitation_invalid')
  return { ...invitation, account }
}

interface AcceptDeps {
  store: Store
  clock: Clock
  passwords: Passwords
}

/** Creates the user, once per invitation; `standing` says whether a second factor is still missing. */
export const acceptInvitation = async (
  { store, clock, passwords }: AcceptDeps,
  nonce: string,
  { firstname, lastname, password }: { firstname: string; lastname: string; password: string },
): Promise<{ credentials: Credentials; standing: Standing }> => {
  const { email } = await openInvitation(store.read, nonce, clock.now())
  requireGoodPassword('password', password, email)
  const passwordHash = await passwords.hash(password)
  return store.write(async (tables) => {
    const { accountId, id, role, locale, lineName, account } = await openInvitation(tables, nonce, clock.now())
    if (!(await tables.invitations.remove(accountId, id))) throw new Problem('invitation_invalid')
    await tables.accounts.lock(accountId)
    if (await tables.users.isTaken(email)) throw new Problem('email_taken')
    if ((await tables.users.list(accountId)).length >= maxUsers) throw new Problem('user_limit_reached')
    const userId = await createUser(tables, clock, accountId, { email, passwordHash, firstname, lastname, role, locale, lineName })
    await auditByUser(tables, clock, { accountId, userId }, 'invitation.accept', id, { role })
    const credentials = await tables.users.hold(accountId, userId)
    if (!credentials) throw new Error('a user who was just made is gone')
    return { credentials, standing: account.secondFactor ? 'missing' : 'complete' }
  })
}
