import { Problem } from '@offhook/contract/problem.ts'
import { scopedPermissions } from '@offhook/contract/restrictions.ts'
import type { OwnRole, RoleScope } from '#core/kernel/ports/store/identity.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { lockedUser } from './change-user.ts'

const maxRoles = 100

export const createRole = async (tables: Tables, accountId: string, role: OwnRole, at: number): Promise<void> => {
  await tables.accounts.lock(accountId)
  if ((await tables.ownRoles.list(accountId)).length >= maxRoles) throw new Problem('role_limit_reached')
  await requireValid(tables, accountId, role)
  await tables.ownRoles.insert(accountId, role, at)
}

export const changeRole = async (tables: Tables, accountId: string, role: OwnRole): Promise<void> => {
  await requireValid(tables, accountId, role)
  if (!(await tables.ownRoles.update(accountId, role))) throw new Problem('role_not_found')
}

/** Rejected while a user has the role: without it the user would get the permissions of the built-in role. */
export const deleteRole = async (tables: Tables, accountId: string, id: string): Promise<void> => {
  await tables.accounts.lock(accountId)
  if ((await usersByRole(tables, accountId)).has(id)) throw new Problem('role_in_use')
  if (!(await tables.ownRoles.remove(accountId, id))) throw new Problem('role_not_found')
}

export const setUserRoles = async (tables: Tables, accountId: string, userId: string, roleIds: readonly string[]): Promise<void> => {
  const user = await lockedUser(tables, accountId, userId)
  if (user.admin && roleIds.length > 0) throw new Problem('role_of_administrator')
  const known = new Set((await tables.ownRoles.list(accountId)).map(({ id }) => id))
  if (!roleIds.every((id) => known.has(id))) throw new Problem('role_not_found')
  await tables.users.update(accountId, userId, { roleIds })
}

/** Number of users per role. */
export const usersByRole = async (tables: Tables, accountId: string): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  for (const { roleIds = [] } of await tables.users.list(accountId)) for (const id of roleIds) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

const requireValid = async (tables: Tables, accountId: string, { permissions, scope }: OwnRole): Promise<void> => {
  if (!scope) return
  const unscoped = permissions.filter((permission) => !scopedPermissions.includes(permission))
  if (unscoped.length > 0)
    throw Problem.field('permissions', `cannot be limited to a scope: ${unscoped.join(', ')}. Put them into a role without a scope.`)
  await requireKnown(tables, accountId, scope)
}

const requireKnown = async (tables: Tables, accountId: string, { groups, lines, assistants }: RoleScope): Promise<void> => {
  if (groups.length + lines.length + assistants.length === 0)
    throw Problem.field('scope', 'must name a group, line or assistant; or must be null')
  const flows = new Set((await tables.flows.names(accountId)).map(({ id }) => id))
  for (const id of groups) if (!(await tables.groups.find(accountId, id))) throw Problem.field('scope.groups', `does not know ${id}`)
  for (const id of lines) if (!(await tables.phonelines.find(accountId, id))) throw Problem.field('scope.lines', `does not know ${id}`)
  for (const id of assistants) if (!flows.has(id)) throw Problem.field('scope.assistants', `does not know ${id}`)
}
