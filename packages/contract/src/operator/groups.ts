import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Text } from '../values.ts'
import { GroupChange, GroupSettings, NewGroup } from '../v1/groups.ts'

const common = { auth: 'operator', bearer: true } as const

export const operatorGroupOperations = {
  listAccountGroups: operation({
    id: 'listAccountGroups',
    method: 'GET',
    path: '/operator/v1/groups',
    summary: 'The groups of an account',
    ...common,
    query: Input({ accountId: Type.String({ pattern: '^[0-9]{1,64}$' }) }),
    status: 200,
    reply: Items(GroupSettings),
    errors: ['account_not_found'],
  }),
  createAccountGroup: operation({
    id: 'createAccountGroup',
    method: 'POST',
    path: '/operator/v1/groups',
    summary: 'Create a group with its voicemail',
    ...common,
    body: Input({ accountId: Text(64), ...NewGroup.properties }),
    status: 201,
    reply: GroupSettings,
    errors: ['account_not_found', 'conflict'],
  }),
  readAccountGroup: operation({
    id: 'readAccountGroup',
    method: 'GET',
    path: '/operator/v1/groups/{accountId}/{groupId}',
    summary: 'How a group is set up',
    ...common,
    status: 200,
    reply: GroupSettings,
    errors: ['group_not_found'],
  }),
  changeAccountGroup: operation({
    id: 'changeAccountGroup',
    method: 'PUT',
    path: '/operator/v1/groups/{accountId}/{groupId}',
    summary: 'Change a group; what is left out stays',
    ...common,
    body: GroupChange,
    status: 204,
    errors: ['group_not_found', 'endpoint_in_use'],
  }),
  deleteAccountGroup: operation({
    id: 'deleteAccountGroup',
    method: 'DELETE',
    path: '/operator/v1/groups/{accountId}/{groupId}',
    summary: 'Delete a group that nothing leads to any more, with its voicemail and fax line',
    ...common,
    status: 204,
    errors: ['group_not_found', 'endpoint_in_use'],
  }),
}
