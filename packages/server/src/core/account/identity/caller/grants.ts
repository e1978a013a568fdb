import { scopedPermissions, type Restriction } from '@offhook/contract/restrictions.ts'
import type { OwnRole, RoleScope } from '#core/kernel/ports/store/identity.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Permissions of the own roles of a user. A scope limits the permission to its groups, lines and assistants. */
export type Grants = Readonly<Partial<Record<Restriction, RoleScope | 'unlimited'>>>

interface Grantee {
  readonly grants?: Grants | undefined
}

/** Permissions of several roles together. */
export const grantsOf = (roles: readonly Pick<OwnRole, 'permissions' | 'scope'>[]): Grants => {
  const grants: Partial<Record<Restriction, RoleScope | 'unlimited'>> = {}
  for (const { permissions, scope } of roles)
    for (const permission of permissions) {
      if (!scope) grants[permission] = 'unlimited'
      else if (scopedPermissions.includes(permission)) grants[permission] = union(grants[permission], scope)
    }
  return grants
}

const union = (known: RoleScope | 'unlimited' | undefined, added: RoleScope): RoleScope | 'unlimited' => {
  if (known === undefined || known === 'unlimited') return known ?? added
  const both = (kind: keyof RoleScope): string[] => [...new Set([...known[kind], ...added[kind]])]
  return { groups: both('groups'), lines: both('lines'), assistants: both('assistants') }
}

/** Undefined for users without own roles: their built-in role decides. A role that no longer exists permits nothing. */
export const readGrants = async (
  { ownRoles }: Pick<Tables, 'ownRoles'>,
  accountId: string,
  { admin, roleIds = [] }: { admin: boolean; roleIds?: readonly string[] | undefined },
): Promise<Grants | undefined> =>
  admin || roleIds.length === 0 ? undefined : grantsOf((await ownRoles.list(accountId)).filter(({ id }) => roleIds.includes(id)))

/** Scope of a permission; undefined if no scope limits it. */
export const scopeOf = ({ grants }: Grantee, permission: Restriction): RoleScope | undefined => {
  const granted = grants?.[permission]
  return granted === 'unlimited' ? undefined : granted
}

/** Ids of calls and history entries that the scope covers. */
export const extensionsIn = ({ groups, lines, assistants }: RoleScope): string[] => [...groups, ...lines, ...assistants]

export const coversGroup = (caller: Grantee, permission: Restriction, groupId: string): boolean =>
  scopeOf(caller, permission)?.groups.includes(groupId) ?? true

export const coversAssistant = (caller: Grantee, permission: Restriction, flowId: string): boolean =>
  scopeOf(caller, permission)?.assistants.includes(flowId) ?? true
