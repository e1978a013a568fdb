import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { RemovalDeps } from '#core/kernel/ports/account.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { User } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { DirectoryGroup } from '#core/kernel/ports/store/provider-directory.ts'
import type { IdentityProvider } from '#core/kernel/ports/store/single-sign-on.ts'
import { createUser } from './create-account.ts'
import { updateUser } from './change-user.ts'
import { activateUser, deactivateUser } from './deactivate-user.ts'
import { roleOf, takeRole } from './sign-in.ts'

const maxUsers = 1_000
const maxGroups = 1_000

/** User as the provider sees it. */
export interface DirectoryUser extends Pick<User, 'id' | 'firstname' | 'lastname' | 'email' | 'active'> {
  externalId: string | undefined
}

export type UserChange = Partial<Omit<DirectoryUser, 'id'>>
export type GroupChange = Partial<Omit<DirectoryGroup, 'id'>>

/** Users of the account, except for those whom the provider has removed. */
export const directoryUsers = async (tables: Tables, { accountId, id }: IdentityProvider): Promise<DirectoryUser[]> => {
  const links = new Map((await tables.providerDirectory.links(accountId, id)).map((link) => [link.userId, link]))
  return (await tables.users.list(accountId))
    .filter((user) => user.active || links.has(user.id))
    .map(({ id: userId, firstname, lastname, email, active }) => ({
      id: userId,
      firstname,
      lastname,
      email,
      active,
      externalId: links.get(userId)?.externalId,
    }))
}

export const findDirectoryUser = async (tables: Tables, provider: IdentityProvider, userId: string): Promise<DirectoryUser> => {
  const user = (await directoryUsers(tables, provider)).find(({ id }) => id === userId)
  if (!user) throw new Problem('user_not_found')
  return user
}

/** A user whom the provider has removed comes back with their lines and phones. */
export const provisionUser = async (
  tables: Tables,
  deps: RemovalDeps & { passwordHash: string },
  provider: IdentityProvider,
  { email = '', firstname = '', lastname = '', active = true, externalId }: UserChange,
): Promise<DirectoryUser> => {
  const { accountId, id: providerId } = provider
  await tables.accounts.lock(accountId)
  const address = email.trim().toLowerCase()
  await requireDomain(tables, provider, address)
  const visible = await directoryUsers(tables, provider)
  if (visible.some((user) => user.email === address)) throw Problem.field('userName', 'belongs to another user', 'email_taken')
  const users = await tables.users.list(accountId)
  const returning = users.find((user) => user.email === address)
  if (!returning && (await tables.users.isTaken(address))) throw Problem.field('userName', 'belongs to another user', 'email_taken')
  if (!returning && users.length >= maxUsers) throw new Problem('user_limit_reached')
  const userId = returning?.id ?? (await create(tables, deps, provider, { email: address, firstname, lastname }))
  if (returning) await updateUser(tables, accountId, userId, { firstname, lastname })
  await tables.providerDirectory.link(accountId, providerId, { userId, externalId }, deps.clock.now())
  await setActive(tables, deps, provider, userId, active)
  await note(tables, deps.clock, provider, 'user.provision', userId, { active })
  return findDirectoryUser(tables, provider, userId)
}

const create = async (
  tables: Tables,
  { clock, passwordHash }: { clock: Clock; passwordHash: string },
  provider: IdentityProvider,
  user: Pick<User, 'email' | 'firstname' | 'lastname'>,
): Promise<string> => {
  const account = await tables.accounts.find(provider.accountId)
  if (!account) throw new Problem('account_not_found')
  const role = roleOf(provider, []) ?? 'USER'
  await tables.invitations.removeByEmail(provider.accountId, user.email)
  return createUser(tables, clock, provider.accountId, { ...user, passwordHash, role, locale: account.locale })
}

export const changeDirectoryUser = async (
  tables: Tables,
  deps: RemovalDeps,
  provider: IdentityProvider,
  userId: string,
  change: UserChange,
): Promise<DirectoryUser> => {
  const { accountId, id: providerId } = provider
  await tables.accounts.lock(accountId)
  const before = await findDirectoryUser(tables, provider, userId)
  const email = change.email?.trim().toLowerCase() ?? before.email
  if (email !== before.email) {
    await requireDomain(tables, provider, email)
    if (!(await tables.users.setEmail(accountId, userId, email))) throw Problem.field('userName', 'belongs to another user', 'email_taken')
  }
  const { firstname = before.firstname, lastname = before.lastname } = change
  if (firstname !== before.firstname || lastname !== before.lastname) await updateUser(tables, accountId, userId, { firstname, lastname })
  const externalId = 'externalId' in change ? change.externalId : before.externalId
  await tables.providerDirectory.link(accountId, providerId, { userId, externalId }, deps.clock.now())
  await setActive(tables, deps, provider, userId, change.active ?? before.active)
  await note(tables, deps.clock, provider, 'user.provision', userId, { fields: Object.keys(change), active: change.active })
  return findDirectoryUser(tables, provider, userId)
}

/** The user leaves: phones, tokens and logins end at once. Only the account's administrators delete what they leave. */
export const removeDirectoryUser = async (tables: Tables, deps: RemovalDeps, provider: IdentityProvider, userId: string): Promise<void> => {
  await tables.accounts.lock(provider.accountId)
  await findDirectoryUser(tables, provider, userId)
  await setActive(tables, deps, provider, userId, false)
  await tables.providerDirectory.unlink(provider.accountId, provider.id, userId)
  await note(tables, deps.clock, provider, 'user.deprovision', userId)
}

const setActive = async (
  tables: Tables,
  deps: RemovalDeps,
  { accountId, settings }: IdentityProvider,
  userId: string,
  active: boolean,
): Promise<void> => {
  const user = await tables.users.find(accountId, userId)
  if (!user || user.active === active) return
  if (active) return activateUser(tables, accountId, userId)
  if (settings.breakGlass.includes(userId)) throw new Problem('break_glass_missing')
  await deactivateUser(tables, deps, accountId, userId, {})
}

const requireDomain = async (tables: Tables, { accountId, id }: IdentityProvider, email: string): Promise<void> => {
  const domains = await tables.identityProviders.domains(accountId)
  const isOwn = domains.some(
    ({ providerId, domain, verifiedAt }) => providerId === id && verifiedAt !== undefined && email.endsWith(`@${domain}`),
  )
  if (!isOwn || !/^[^\s@]+@[^\s@]+$/.test(email)) throw Problem.field('userName', 'must be an e-mail address of a verified domain')
}

export const findDirectoryGroup = async (tables: Tables, { accountId, id }: IdentityProvider, groupId: string): Promise<DirectoryGroup> => {
  const group = (await tables.providerDirectory.groups(accountId, id)).find((one) => one.id === groupId)
  if (!group) throw new Problem('group_not_found')
  return group
}

export const provisionGroup = async (
  tables: Tables,
  clock: Clock,
  provider: IdentityProvider,
  { name = '', externalId, members = [] }: GroupChange,
): Promise<DirectoryGroup> => {
  const { accountId, id: providerId } = provider
  await tables.accounts.lock(accountId)
  const known = await tables.providerDirectory.groups(accountId, providerId)
  if (known.some((group) => group.name === name)) throw Problem.field('displayName', 'belongs to another group', 'already_exists')
  if (known.length >= maxGroups) throw new Problem('conflict', `A provider has at most ${maxGroups} groups.`)
  const group = { id: randomUUID(), name, externalId, members: await existing(tables, provider, members) }
  await tables.providerDirectory.insertGroup(accountId, providerId, group, clock.now())
  await note(tables, clock, provider, 'group.provision', group.id, { members: group.members })
  await takeRoles(tables, clock, provider, group.members)
  return group
}

export const changeDirectoryGroup = async (
  tables: Tables,
  clock: Clock,
  provider: IdentityProvider,
  groupId: string,
  change: (before: DirectoryGroup) => GroupChange,
): Promise<DirectoryGroup> => {
  const { accountId, id: providerId } = provider
  await tables.accounts.lock(accountId)
  const before = await findDirectoryGroup(tables, provider, groupId)
  const after = { ...before, ...change(before) }
  const taken = (await tables.providerDirectory.groups(accountId, providerId)).some(({ id, name }) => id !== groupId && name === after.name)
  if (taken) throw Problem.field('displayName', 'belongs to another group', 'already_exists')
  const group = { ...after, members: await existing(tables, provider, after.members) }
  await tables.providerDirectory.updateGroup(accountId, group)
  await note(tables, clock, provider, 'group.provision', groupId, { members: group.members })
  await takeRoles(tables, clock, provider, [...before.members, ...group.members])
  return group
}

export const removeDirectoryGroup = async (tables: Tables, clock: Clock, provider: IdentityProvider, groupId: string): Promise<void> => {
  await tables.accounts.lock(provider.accountId)
  const { members } = await findDirectoryGroup(tables, provider, groupId)
  await tables.providerDirectory.removeGroup(provider.accountId, groupId)
  await note(tables, clock, provider, 'group.deprovision', groupId)
  await takeRoles(tables, clock, provider, members)
}

const existing = async (tables: Tables, provider: IdentityProvider, members: readonly string[]): Promise<string[]> => {
  const users = new Set((await directoryUsers(tables, provider)).map(({ id }) => id))
  const unknown = members.find((member) => !users.has(member))
  if (unknown !== undefined) throw Problem.field('members', 'names an unknown user')
  return [...new Set(members)]
}

const takeRoles = async (tables: Tables, clock: Clock, provider: IdentityProvider, userIds: readonly string[]): Promise<void> => {
  const groups = await tables.providerDirectory.groups(provider.accountId, provider.id)
  for (const userId of new Set(userIds)) {
    const user = await tables.users.find(provider.accountId, userId)
    const names = groups.filter(({ members }) => members.includes(userId)).map(({ name }) => name)
    if (user) await takeRole(tables, clock, provider, { userId, has: user.role, role: roleOf(provider, names) ?? 'USER' })
  }
}

const note = (
  tables: Tables,
  clock: Clock,
  { accountId, id }: IdentityProvider,
  action: string,
  target: string,
  detail?: unknown,
): Promise<void> => tables.audit.append(accountId, { at: clock.now(), actor: `scim:${id}`, action, target, detail })
