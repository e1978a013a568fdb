import { randomBytes } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserRole } from '@offhook/contract/roles.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { SignOnClaims } from '#core/kernel/ports/sign-on.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { IdentityProvider } from '#core/kernel/ports/store/single-sign-on.ts'
import { createUser } from './create-account.ts'
import { updateUser } from './change-user.ts'

const maxUsers = 1_000

interface SignInDeps {
  store: Store
  clock: Clock
  passwords: Passwords
}

/** User of the provider's account for these claims; created at the first login. */
export const signIn = async (
  { store, clock, passwords }: SignInDeps,
  provider: IdentityProvider,
  claims: SignOnClaims,
): Promise<{ accountId: string; userId: string }> => {
  const passwordHash = await noPassword(passwords)
  return store.write(async (tables) => {
    const { accountId } = provider
    await tables.accounts.lock(accountId)
    const now = await tables.identityProviders.find(accountId, provider.id)
    const account = now && (await tables.accounts.find(accountId))
    if (!account) throw rejected('the identity provider is gone')
    const known = (await tables.identityProviders.findUser(accountId, provider.id, claims.subject)) ?? (await byEmail(tables, now, claims))
    const role = roleOf(now, [...claims.groups, ...(known === undefined ? [] : await provisionedGroups(tables, now, known))])
    if (role === null) throw rejected('none of your groups may use this service')
    const userId = known ?? (await create(tables, clock, { provider: now, claims, role, passwordHash, locale: account.locale }))
    const user = await tables.users.find(accountId, userId)
    if (!user?.active) throw rejected('this user is deactivated')
    await tables.identityProviders.linkUser(accountId, provider.id, { userId, subject: claims.subject, at: clock.now() })
    await takeRole(tables, clock, now, { userId, has: user.role, role })
    await auditByUser(tables, clock, { accountId, userId }, 'login.single_sign_on', provider.id)
    return { accountId, userId }
  })
}

const rejected = (reason: string): Problem => new Problem('single_sign_on_failed', `The login was not accepted: ${reason}.`)

export const roleOf = ({ settings: { roles, defaultRole } }: IdentityProvider, groups: readonly string[]): UserRole | null =>
  roles.find(({ group }) => groups.includes(group))?.role ?? defaultRole

/** Names of the groups that the provider manages over SCIM and the user is in. */
const provisionedGroups = async (tables: Tables, { accountId, id }: IdentityProvider, userId: string): Promise<string[]> =>
  (await tables.providerDirectory.groups(accountId, id)).filter(({ members }) => members.includes(userId)).map(({ name }) => name)

/** A user without a password: no text has this hash. */
export const noPassword = (passwords: Passwords): Promise<string> => passwords.hash(randomBytes(32).toString('base64url'))

/** The provider may vouch for addresses of its verified domains only; others could belong to users of other accounts. */
const requireOwnDomain = async (tables: Tables, { accountId, id }: IdentityProvider, claims: SignOnClaims): Promise<string> => {
  const email = claims.email?.trim().toLowerCase() ?? ''
  if (email === '' || !claims.emailVerified) throw rejected('the identity provider named no e-mail address that it has checked')
  const domains = await tables.identityProviders.domains(accountId)
  const isOwn = domains.some(
    ({ providerId, domain, verifiedAt }) => providerId === id && verifiedAt !== undefined && email.endsWith(`@${domain}`),
  )
  if (!isOwn) throw rejected('the domain of the e-mail address is not one that the account has verified')
  return email
}

const byEmail = async (tables: Tables, provider: IdentityProvider, claims: SignOnClaims): Promise<string | undefined> => {
  const email = await requireOwnDomain(tables, provider, claims)
  return (await tables.users.list(provider.accountId)).find((user) => user.email === email)?.id
}

interface Creation {
  provider: IdentityProvider
  claims: SignOnClaims
  role: UserRole
  passwordHash: string
  locale: Parameters<typeof createUser>[3]['locale']
}

const create = async (tables: Tables, clock: Clock, { provider, claims, role, passwordHash, locale }: Creation): Promise<string> => {
  const { accountId } = provider
  if (!provider.settings.createUsers) throw rejected('an administrator must create the user first')
  const email = await requireOwnDomain(tables, provider, claims)
  if (await tables.users.isTaken(email)) throw rejected('the e-mail address belongs to a user of another account')
  if ((await tables.users.list(accountId)).length >= maxUsers) throw new Problem('user_limit_reached')
  const { firstname, lastname } = claims
  const userId = await createUser(tables, clock, accountId, { email, passwordHash, firstname, lastname, role, locale })
  await tables.invitations.removeByEmail(accountId, email)
  await auditByUser(tables, clock, { accountId, userId }, 'user.create', userId, { role, provider: provider.id })
  return userId
}

/** Without rules for groups the account's administrators decide. The last administrator and break-glass ones keep their role. */
export const takeRole = async (
  tables: Tables,
  clock: Clock,
  { accountId, id, settings }: IdentityProvider,
  { userId, has, role }: { userId: string; has: UserRole; role: UserRole },
): Promise<void> => {
  if (settings.roles.length === 0 || has === role || settings.breakGlass.includes(userId)) return
  const admins = (await tables.users.list(accountId)).filter(({ admin, active }) => admin && active)
  if (has === 'ADMIN' && admins.length < 2) return
  await updateUser(tables, accountId, userId, { role })
  await auditByUser(tables, clock, { accountId, userId }, 'user.update', userId, { fields: ['role'], role, provider: id })
}
