import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { AliasedId, DisplayName, Enabled, Input, Items, OneOf, Output, RequiredText } from '../values.ts'
import { deviceTypes } from './devices/device-values.ts'
import { NumberElement } from './numbers/number-element.ts'
import { forwardingOperations } from './phonelines/forwardings.ts'
import { phonelineSvcioOperations } from './phonelines/svcio.ts'
import { phonelineVoicemailOperations } from './phonelines/voicemails.ts'

export const Alias = Input({ alias: DisplayName })

/** A device in the list of a line or group where it rings. */
export const AttachedDevice = Output({
  id: Type.String(),
  alias: Type.String(),
  type: OneOf(deviceTypes),
})

export const DeviceId = Input({ deviceId: RequiredText(40) })

const BlockAnonymous = { enabled: Type.Boolean(), target: OneOf(['REJECT', 'VOICEMAIL']) }

const reading = { auth: 'user', bearer: true, permission: 'CAN_GET_PHONELINES', status: 200 } as const
const changing = { auth: 'user', bearer: true, permission: 'CAN_CHANGE_PHONELINES', status: 204 } as const

export const phonelineOperations = {
  listPhonelines: operation({
    ...reading,
    id: 'listPhonelines',
    method: 'GET',
    path: '/v1/{userId}/phonelines',
    summary: 'Phone lines of a user',
    scopes: ['phonelines:read'],
    reply: Items(AliasedId),
  }),
  createPhoneline: operation({
    id: 'createPhoneline',
    method: 'POST',
    path: '/v1/{userId}/phonelines',
    summary: 'Give a user another phone line, with its own voicemail',
    auth: 'user',
    bearer: true,
    scopes: ['phonelines:write'],
    permission: 'CAN_CREATE_PHONELINES',
    body: Alias,
    status: 201,
    reply: AliasedId,
    errors: ['conflict'],
  }),
  getPhoneline: operation({
    ...reading,
    id: 'getPhoneline',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}',
    summary: 'One phone line',
    scopes: ['phonelines:read'],
    reply: AliasedId,
    errors: ['phoneline_not_found'],
  }),
  changePhoneline: operation({
    ...changing,
    id: 'changePhoneline',
    method: 'PUT',
    path: '/v1/{userId}/phonelines/{phonelineId}',
    summary: 'Rename a phone line',
    scopes: ['phonelines:write'],
    body: Alias,
    errors: ['phoneline_not_found'],
  }),
  deletePhoneline: operation({
    id: 'deletePhoneline',
    method: 'DELETE',
    path: '/v1/{userId}/phonelines/{phonelineId}',
    summary: 'Delete a phone line that nothing leads to any more',
    auth: 'user',
    bearer: true,
    scopes: ['phonelines:write'],
    permission: 'CAN_DELETE_PHONELINES',
    status: 204,
    errors: ['phoneline_not_found', 'endpoint_in_use'],
  }),
  getBlockAnonymous: operation({
    ...reading,
    id: 'getBlockAnonymous',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}/blockanonymous',
    summary: 'What happens to callers who hide their number',
    scopes: ['phonelines:read', 'phonelines:blockanonymous:read'],
    reply: Output(BlockAnonymous),
    errors: ['phoneline_not_found'],
  }),
  setBlockAnonymous: operation({
    ...changing,
    id: 'setBlockAnonymous',
    method: 'PUT',
    path: '/v1/{userId}/phonelines/{phonelineId}/blockanonymous',
    summary: 'Decide what happens to callers who hide their number',
    scopes: ['phonelines:write', 'phonelines:blockanonymous:write'],
    body: Input({ enabled: BlockAnonymous.enabled, target: Type.Optional(BlockAnonymous.target) }),
    errors: ['phoneline_not_found'],
  }),
  getBusyOnBusy: operation({
    ...reading,
    id: 'getBusyOnBusy',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}/busyonbusy',
    summary: 'Whether a second caller hears the busy tone',
    scopes: ['phonelines:read', 'phonelines:busyonbusy:read'],
    reply: Output({ enabled: Type.Boolean() }),
    errors: ['phoneline_not_found'],
  }),
  setBusyOnBusy: operation({
    ...changing,
    id: 'setBusyOnBusy',
    method: 'PUT',
    path: '/v1/{userId}/phonelines/{phonelineId}/busyonbusy',
    summary: 'Decide whether a second caller hears the busy tone',
    scopes: ['phonelines:write', 'phonelines:busyonbusy:write'],
    body: Enabled,
    errors: ['phoneline_not_found'],
  }),
  listPhonelineDevices: operation({
    ...reading,
    id: 'listPhonelineDevices',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}/devices',
    summary: 'Devices that ring when the line is called',
    scopes: ['phonelines:read', 'phonelines:devices:read'],
    reply: Items(AttachedDevice),
    errors: ['phoneline_not_found'],
  }),
  addPhonelineDevice: operation({
    ...changing,
    id: 'addPhonelineDevice',
    method: 'POST',
    path: '/v1/{userId}/phonelines/{phonelineId}/devices',
    summary: 'Let a device ring when the line is called',
    scopes: ['phonelines:write', 'phonelines:devices:write'],
    body: DeviceId,
    errors: ['phoneline_not_found', 'device_not_found'],
  }),
  removePhonelineDevice: operation({
    ...changing,
    id: 'removePhonelineDevice',
    method: 'DELETE',
    path: '/v1/{userId}/phonelines/{phonelineId}/devices/{deviceId}',
    summary: 'Let a device no longer ring when the line is called',
    scopes: ['phonelines:write', 'phonelines:devices:write'],
    errors: ['phoneline_not_found', 'device_not_found'],
  }),
  listPhonelineNumbers: operation({
    ...reading,
    id: 'listPhonelineNumbers',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}/numbers',
    summary: 'Numbers that lead to the line',
    scopes: ['phonelines:read', 'phonelines:numbers:read'],
    reply: Items(NumberElement),
    errors: ['phoneline_not_found'],
  }),
  ...forwardingOperations,
  ...phonelineSvcioOperations,
  ...phonelineVoicemailOperations,
}
