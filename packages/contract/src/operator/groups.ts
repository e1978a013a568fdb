import { operation } from '../operation.ts'
import { Items } from '../values.ts'
import { GroupChange, GroupSettings, NewGroup } from '../v1/groups.ts'

const operator = { auth: 'operator', bearer: true } as const

export const operatorGroupOperations = {
  operatorListGroups: operation({
    ...operator,
    id: 'operatorListGroups',
    method: 'GET',
    path: '/operator/v1/accounts/{accountId}/groups',
    summary: 'Groups of an account',
    status: 200,
    reply: Items(GroupSettings),
    errors: ['account_not_found'],
  }),
  operatorCreateGroup: operation({
    ...operator,
    id: 'operatorCreateGroup',
    method: 'POST',
    path: '/operator/v1/accounts/{accountId}/groups',
    summary: 'Create a group in an account',
    body: NewGroup,
    status: 201,
    reply: GroupSettings,
    errors: ['account_not_found', 'user_not_found'],
  }),
  operatorGetGroup: operation({
    ...operator,
    id: 'operatorGetGroup',
    method: 'GET',
    path: '/operator/v1/accounts/{accountId}/groups/{groupId}',
    summary: 'How a group is set up',
    status: 200,
    reply: GroupSettings,
    errors: ['account_not_found', 'group_not_found'],
  }),
  operatorChangeGroup: operation({
    ...operator,
    id: 'operatorChangeGroup',
    method: 'PUT',
    path: '/operator/v1/accounts/{accountId}/groups/{groupId}',
    summary: 'Change a group; fields that are left out stay',
    body: GroupChange,
    status: 204,
    errors: ['account_not_found', 'group_not_found', 'user_not_found', 'endpoint_in_use'],
  }),
  operatorDeleteGroup: operation({
    ...operator,
    id: 'operatorDeleteGroup',
    method: 'DELETE',
    path: '/operator/v1/accounts/{accountId}/groups/{groupId}',
    summary: 'Delete a group that nothing leads to any more',
    status: 204,
    errors: ['account_not_found', 'group_not_found', 'endpoint_in_use'],
  }),
}
