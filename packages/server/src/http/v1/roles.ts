import type { OwnRole as RoleElement, roleOperations } from '@offhook/contract/v1/roles.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { Static } from 'typebox'
import { changeRole, createRole, deleteRole, setUserRoles, usersByRole } from '#core/account/accounts/own-roles.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { OwnRole, RoleScope } from '#core/kernel/ports/store/identity.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const roleHandlers = ({
  store,
  clock,
  authenticator,
}: Pick<HandlerDeps, 'store' | 'clock' | 'authenticator'>): Handlers<typeof roleOperations> => ({
  listRoles: async ({ caller: { accountId } }) => ({ items: await listRoles(store, accountId) }),

  getRole: async ({ caller: { accountId }, params: { roleId } }) => {
    const role = (await listRoles(store, accountId)).find(({ id }) => id === roleId)
    if (!role) throw new Problem('role_not_found')
    return role
  },

  createRole: async ({ caller, body, effectId }) => {
    const role = { id: effectId, ...fieldsOf(body) }
    await store.write(async (tables) => {
      await createRole(tables, caller.accountId, role, clock.now())
      await auditByUser(tables, clock, caller, 'role.create', role.id, body)
    })
    return toElement(role, 0)
  },

  changeRole: async ({ caller, params: { roleId }, body }) => {
    await store.write(async (tables) => {
      await changeRole(tables, caller.accountId, { id: roleId, ...fieldsOf(body) })
      await auditByUser(tables, clock, caller, 'role.change', roleId, body)
    })
    authenticator.forget()
  },

  deleteRole: ({ caller, params: { roleId } }) =>
    store.write(async (tables) => {
      await deleteRole(tables, caller.accountId, roleId)
      await auditByUser(tables, clock, caller, 'role.delete', roleId)
    }),

  setUserRoles: async ({ caller, params: { userId }, body: { roleIds } }) => {
    await store.write(async (tables) => {
      await setUserRoles(tables, caller.accountId, userId, roleIds)
      await auditByUser(tables, clock, caller, 'user.roles', userId, { roleIds })
    })
    authenticator.forget()
  },
})

const listRoles = async ({ read }: Pick<Store, 'read'>, accountId: string): Promise<Static<typeof RoleElement>[]> => {
  const [roles, users] = await Promise.all([read.ownRoles.list(accountId), usersByRole(read, accountId)])
  return roles.map((role) => toElement(role, users.get(role.id) ?? 0))
}

const fieldsOf = ({ name, permissions, scope }: { name: string; permissions: Restriction[]; scope?: RoleScope | null }) => ({
  name,
  permissions,
  scope: scope ?? undefined,
})

const toElement = ({ id, name, permissions, scope }: OwnRole, users: number): Static<typeof RoleElement> => ({
  id,
  name,
  permissions: [...permissions],
  scope: scope ? { groups: [...scope.groups], lines: [...scope.lines], assistants: [...scope.assistants] } : null,
  users,
})
