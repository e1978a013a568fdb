import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { AliasedId, DisplayName, Input, Items, OneOf, Output, RequiredText } from '../values.ts'
import { NumberElement } from './numbers/number-element.ts'
import { AttachedDevice, DeviceId } from './phonelines.ts'
import { Voicemail } from './voicemails/voicemail-elements.ts'

export const groupStrategies = ['PARALLEL', 'LINEAR', 'ROUND_ROBIN', 'LONGEST_IDLE'] as const

export const Group = Output({
  id: Type.String(),
  alias: Type.String(),
  groupNumbersUrl: Type.String(),
  groupUsersUrl: Type.String(),
  departmentId: Type.Optional(Type.Integer()),
})

/** The settings of a group, for administrators. */
export const GroupSettings = Output({
  id: Type.String(),
  alias: Type.String(),
  strategy: OneOf(groupStrategies),
  ringSeconds: Type.Integer(),
  departmentId: Type.Optional(Type.Integer()),
  members: Type.Array(Type.String(), { description: 'Ids of users, in the order in which they are called' }),
  faxline: Type.Boolean(),
})

const groupFields = {
  strategy: Type.Optional(OneOf(groupStrategies)),
  ringSeconds: Type.Optional(
    Type.Integer({ minimum: 5, maximum: 300, description: 'How long the group rings before its voicemail answers' }),
  ),
  departmentId: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  members: Type.Optional(
    Type.Array(RequiredText(40), {
      maxItems: 200,
      description: 'Ids of users, in the order in which they are called; replaces the whole list',
    }),
  ),
  faxline: Type.Optional(Type.Boolean({ description: 'Whether the group has a fax line of its own' })),
}

export const NewGroup = Input({ alias: DisplayName, ...groupFields })
export const GroupChange = Input({ alias: Type.Optional(DisplayName), ...groupFields })

const reading = { auth: 'user', bearer: true, permission: 'CAN_GET_GROUPS', status: 200 } as const
const administering = { auth: 'user', bearer: true, permission: 'CAN_CHANGE_GROUPS', scopes: ['internal'] } as const

export const groupOperations = {
  listGroups: operation({
    ...reading,
    id: 'listGroups',
    method: 'GET',
    path: '/v1/groups',
    scoped: true,
    summary: 'Groups of the account, or those of one user',
    scopes: ['groups:read'],
    query: Input({ userId: Type.Optional(Type.String({ pattern: '^[a-z0-9]{1,40}$' })) }),
    reply: Items(Group),
    errors: ['user_not_found'],
  }),
  createGroup: operation({
    ...administering,
    id: 'createGroup',
    method: 'POST',
    path: '/v1/groups',
    summary: 'Create a group, with its voicemail',
    body: NewGroup,
    status: 201,
    reply: GroupSettings,
    errors: ['conflict'],
  }),
  getGroup: operation({
    ...reading,
    id: 'getGroup',
    method: 'GET',
    path: '/v1/groups/{groupId}',
    summary: 'How a group is set up',
    scopes: ['groups:read'],
    reply: GroupSettings,
    errors: ['group_not_found'],
  }),
  changeGroup: operation({
    ...administering,
    id: 'changeGroup',
    method: 'PUT',
    path: '/v1/groups/{groupId}',
    summary: 'Change a group; fields that are left out stay',
    body: GroupChange,
    status: 204,
    errors: ['group_not_found', 'endpoint_in_use'],
  }),
  deleteGroup: operation({
    ...administering,
    id: 'deleteGroup',
    method: 'DELETE',
    path: '/v1/groups/{groupId}',
    summary: 'Delete a group that nothing leads to any more, with its voicemail and fax line',
    status: 204,
    errors: ['group_not_found', 'endpoint_in_use'],
  }),
  listGroupNumbers: operation({
    ...reading,
    id: 'listGroupNumbers',
    method: 'GET',
    path: '/v1/groups/{groupId}/numbers',
    summary: 'Numbers that lead to the group',
    scopes: ['groups:read', 'groups:numbers:read'],
    reply: Items(NumberElement),
    errors: ['group_not_found'],
  }),
  listGroupUsers: operation({
    ...reading,
    id: 'listGroupUsers',
    method: 'GET',
    path: '/v1/groups/{groupId}/users',
    summary: 'Members of the group, in the order in which they are called',
    scopes: ['groups:read', 'groups:users:read'],
    reply: Items(Output({ id: Type.String(), firstname: Type.String(), lastname: Type.String(), userUrl: Type.String() })),
    errors: ['group_not_found'],
  }),
  listGroupVoicemails: operation({
    ...reading,
    id: 'listGroupVoicemails',
    method: 'GET',
    path: '/v1/groups/{groupId}/voicemail',
    summary: 'Voicemail of the group',
    scopes: ['groups:read', 'groups:voicemails:read'],
    reply: Items(Voicemail),
    errors: ['group_not_found'],
  }),
  listGroupFaxlines: operation({
    ...reading,
    id: 'listGroupFaxlines',
    method: 'GET',
    path: '/v1/groups/{groupId}/faxlines',
    summary: 'Fax lines of the group',
    scopes: ['groups:read', 'groups:faxlines:read'],
    reply: Items(AliasedId),
    errors: ['group_not_found'],
  }),
  listGroupDevices: operation({
    ...reading,
    id: 'listGroupDevices',
    method: 'GET',
    path: '/v1/groups/{groupId}/devices',
    summary: 'Devices that ring when the group is called',
    scopes: ['groups:read'],
    permission: 'CAN_CHANGE_GROUPS', // it names the devices of every member
    reply: Items(AttachedDevice),
    errors: ['group_not_found'],
  }),
  addGroupDevice: operation({
    id: 'addGroupDevice',
    method: 'POST',
    path: '/v1/groups/{groupId}/devices',
    summary: 'Let a device of a member ring when the group is called',
    auth: 'user',
    bearer: true,
    scopes: ['groups:devices:write'],
    permission: 'CAN_CHANGE_DEVICES',
    body: DeviceId,
    status: 204,
    errors: ['group_not_found', 'device_not_found', 'conflict'],
  }),
  removeGroupDevice: operation({
    id: 'removeGroupDevice',
    method: 'DELETE',
    path: '/v1/groups/{groupId}/devices/{deviceId}',
    summary: 'Let a device no longer ring when the group is called',
    auth: 'user',
    bearer: true,
    scopes: ['groups:devices:write'],
    permission: 'CAN_CHANGE_DEVICES',
    status: 204,
    errors: ['group_not_found', 'device_not_found'],
  }),
}
