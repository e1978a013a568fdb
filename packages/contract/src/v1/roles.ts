import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { grantablePermissions } from '../restrictions.ts'
import { DisplayName, Input, Items, Nullable, OneOf, Output, RequiredText } from '../values.ts'

const maxPerScope = 200
const Ids = (description: string) => Type.Array(RequiredText(64), { maxItems: maxPerScope, uniqueItems: true, description })

const scopeFields = {
  groups: Ids('Ids of groups, with their voicemails and fax lines'),
  lines: Ids('Ids of phone lines, with their voicemails'),
  assistants: Ids('Ids of assistants'),
}

const permissionList = Type.Array(OneOf(grantablePermissions), { maxItems: grantablePermissions.length, uniqueItems: true })
const scopeNote = 'The permissions concern only these; null: as those of a plain user or, for permissions of administrators, the account'

export const OwnRole = Output({
  id: Type.String(),
  name: Type.String(),
  permissions: permissionList,
  scope: Nullable(Output(scopeFields, { description: scopeNote })),
  users: Type.Integer({ description: 'Number of users with this role' }),
})

const RoleInput = Input({
  name: DisplayName,
  permissions: permissionList,
  scope: Type.Optional(Nullable(Type.Object(scopeFields, { additionalProperties: false, description: scopeNote }))),
})

const shared = { auth: 'user', bearer: true, permission: 'CAN_MANAGE_ROLES' } as const

export const roleOperations = {
  listRoles: operation({
    id: 'listRoles',
    method: 'GET',
    path: '/v1/roles',
    summary: 'The own roles of the account',
    ...shared,
    scopes: ['users:read'],
    status: 200,
    reply: Items(OwnRole),
  }),
  createRole: operation({
    id: 'createRole',
    method: 'POST',
    path: '/v1/roles',
    summary: 'Create a role: a named set of permissions, for the account or for some groups, lines and assistants',
    description: 'A role with a scope can only have permissions that concern groups, lines, assistants and their calls.',
    ...shared,
    scopes: ['users:write'],
    body: RoleInput,
    status: 200,
    reply: OwnRole,
    errors: ['role_limit_reached'],
  }),
  getRole: operation({
    id: 'getRole',
    method: 'GET',
    path: '/v1/roles/{roleId}',
    summary: 'An own role of the account',
    ...shared,
    scopes: ['users:read'],
    status: 200,
    reply: OwnRole,
    errors: ['role_not_found'],
  }),
  changeRole: operation({
    id: 'changeRole',
    method: 'PUT',
    path: '/v1/roles/{roleId}',
    summary: 'Replace a role; takes effect for its users at once',
    ...shared,
    scopes: ['users:write'],
    body: RoleInput,
    status: 204,
    errors: ['role_not_found'],
  }),
  deleteRole: operation({
    id: 'deleteRole',
    method: 'DELETE',
    path: '/v1/roles/{roleId}',
    summary: 'Delete a role that no user has',
    ...shared,
    scopes: ['users:write'],
    status: 204,
    errors: ['role_not_found', 'role_in_use'],
  }),
  setUserRoles: operation({
    id: 'setUserRoles',
    method: 'PUT',
    path: '/v1/users/{userId}/roles',
    summary: 'Give a user own roles; the user has exactly their permissions',
    description: 'An empty list restores the permissions of the built-in role. Administrators cannot have own roles.',
    ...shared,
    scopes: ['users:write'],
    body: Input({ roleIds: Type.Array(RequiredText(64), { maxItems: 20, uniqueItems: true }) }),
    status: 204,
    errors: ['user_not_found', 'role_not_found', 'role_of_administrator'],
  }),
}
