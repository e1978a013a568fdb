import { Problem } from '@offhook/contract/problem.ts'
import { revokeUser } from '../identity/tokens/grants.ts'
import { requireTimezone } from '#core/kernel/time-zone.ts'
import type { RemovalDeps } from '#core/kernel/ports/account/clean-ups.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { User } from '#core/kernel/ports/store/account/users.ts'
import { clearUser } from './clear-user.ts'

export type UserChange = Partial<Pick<User, 'firstname' | 'lastname' | 'role' | 'locale' | 'timezone'>>

export const updateUser = async (tables: Tables, accountId: string, userId: string, change: UserChange): Promise<void> => {
  if (change.timezone !== undefined) requireTimezone(change.timezone)
  const user = await lockedUser(tables, accountId, userId)
  if (change.role !== undefined && change.role !== 'ADMIN') await requireAnotherAdmin(tables, accountId, user)
  await tables.users.update(accountId, userId, change)
  if (change.firstname === undefined && change.lastname === undefined) return
  await tables.extensions.setAlias(accountId, userId, `${change.firstname ?? user.firstname} ${change.lastname ?? user.lastname}`)
}

/** For good: the user's extension, and whose it was, stays in the records. */
export const disableUser = async (tables: Tables, deps: RemovalDeps, accountId: string, userId: string): Promise<void> => {
  const user = await lockedUser(tables, accountId, userId)
  await requireAnotherAdmin(tables, accountId, user)
  await clearUser(tables, deps, accountId, userId)
  await revokeUser(tables, accountId, user)
  await tables.emailChanges.removeByUser(accountId, userId)
  await tables.users.disable(accountId, userId, deps.clock.now())
}

/** Tokens that were issued for the old password end with it. */
export const setPassword = async (tables: Tables, accountId: string, userId: string, passwordHash: string): Promise<void> => {
  const user = await lockedUser(tables, accountId, userId)
  await tables.users.setPassword(accountId, userId, passwordHash)
  await revokeUser(tables, accountId, user)
}

/** The lock keeps two administrators from being removed at the same moment, each of them seeming not to be the last. */
export const lockedUser = async (tables: Tables, accountId: string, userId: string): Promise<User> => {
  await tables.accounts.lock(accountId)
  const user = await tables.users.find(accountId, userId)
  if (!user || !(await tables.accounts.find(accountId))) throw new Problem('user_not_found')
  return user
}

export const requireAnotherAdmin = async (tables: Tables, accountId: string, user: User): Promise<void> => {
  if (!user.admin || !user.active) return
  const others = (await tables.users.list(accountId)).filter(({ id, admin, active }) => admin && active && id !== user.id)
  if (others.length === 0) throw new Problem('last_admin')
}
