import { Problem } from '@offhook/contract/problem.ts'
import { revokeUser } from '../identity/tokens/grants.ts'
import { requireTimezone } from '#core/kernel/local-day.ts'
import type { RemovalDeps } from '#core/kernel/ports/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { User } from '#core/kernel/ports/store/account.ts'
import { removeDevice } from '../devices/delete-device.ts'
import { deletePhoneline, removeFaxlines } from '../lines/phoneline.ts'
import { retireEndpoint } from '../lines/phoneline.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'

type UserChange = Partial<Pick<User, 'firstname' | 'lastname' | 'role' | 'locale' | 'timezone'>>

export const updateUser = async (tables: Tables, accountId: string, userId: string, change: UserChange): Promise<void> => {
  if (change.timezone !== undefined) requireTimezone(change.timezone)
  const user = await lockedUser(tables, accountId, userId)
  if (change.role !== undefined && change.role !== 'ADMIN') await requireAnotherAdmin(tables, accountId, user)
  await tables.users.update(accountId, userId, { ...change, ...(change.role === 'ADMIN' && { roleIds: [] }) })
  if (change.firstname === undefined && change.lastname === undefined) return
  await tables.extensions.setAlias(accountId, userId, `${change.firstname ?? user.firstname} ${change.lastname ?? user.lastname}`)
}

/** Irreversible: the user's extension and its former owner stay in the records. */
export const disableUser = async (tables: Tables, deps: RemovalDeps, accountId: string, userId: string): Promise<void> => {
  const user = await lockedUser(tables, accountId, userId)
  await requireAnotherAdmin(tables, accountId, user)
  await clearUser(tables, deps, accountId, userId)
  await revokeUser(tables, accountId, user)
  await tables.emailChanges.removeByUser(accountId, userId)
  await tables.identityProviders.removeByUser(accountId, userId)
  await tables.users.disable(accountId, userId, deps.clock.now())
}

/** Revokes all tokens issued for the old password. */
export const setPassword = async (tables: Tables, accountId: string, userId: string, passwordHash: string): Promise<void> => {
  const user = await lockedUser(tables, accountId, userId)
  await tables.users.setPassword(accountId, userId, passwordHash)
  await revokeUser(tables, accountId, user)
}

/** The lock prevents two concurrent removals from both passing the last-administrator check. */
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

/**
 * Removes everything a departing user owned, so that it no longer rings, costs or notifies. Rejected while numbers or forwardings of other
 * users still point to it. Shared contacts stay.
 */
export const clearUser = async (tables: Tables, deps: RemovalDeps, accountId: string, userId: string): Promise<void> => {
  const { clock, cleanups } = deps
  for (const { id } of await tables.devices.listByOwner(accountId, userId)) await removeDevice(tables, clock, accountId, id)
  await removePhonelines(tables, clock, accountId, userId)
  await removeFaxlines(tables, deps, accountId, userId)
  await cleanups.userLeaves(tables, accountId, userId)
  for (const { id } of await tables.smsLines.list(accountId, userId)) {
    await retireEndpoint(tables, accountId, id)
    await tables.programs.removeLogin(accountId, id)
    await tables.smsLines.remove(accountId, id, clock.now())
  }
  await tables.groups.removeMember(accountId, userId)
  await tables.notifications.removeByUser(accountId, userId)
  await tables.leashes.removeByUser(accountId, userId)
  await tables.contacts.removePrivate(accountId, userId)
}

/** Removes forwardings and rules first: lines of the same user that point to each other must not block the deletion. */
const removePhonelines = async (tables: Tables, clock: Clock, accountId: string, userId: string): Promise<void> => {
  const lines = await tables.phonelines.list(accountId, userId)
  for (const { id } of lines) {
    await tables.phonelines.removeForwardings(accountId, id)
    await tables.routingRules.remove(accountId, id)
  }
  for (const line of lines) await deletePhoneline(tables, clock, accountId, line)
}
