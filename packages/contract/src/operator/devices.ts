import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output, RequiredText, Text } from '../values.ts'
import { deviceTypes, NewDevice } from '../v1/devices/device-values.ts'

const byOperator = { auth: 'operator', bearer: true } as const

/** Without credentials: they belong to the customer. */
export const OperatorDevice = Output({
  accountId: Type.String(),
  id: Type.String(),
  alias: Type.String(),
  type: OneOf(deviceTypes),
  userId: Type.String(),
  online: Type.Boolean(),
  dnd: Type.Boolean(),
})

export const operatorDeviceOperations = {
  listAccountDevices: operation({
    id: 'listAccountDevices',
    method: 'GET',
    path: '/operator/v1/devices',
    summary: 'Devices of an account',
    ...byOperator,
    query: Input({ accountId: Text(64) }),
    status: 200,
    reply: Items(OperatorDevice),
    errors: ['account_not_found'],
  }),
  createAccountDevice: operation({
    id: 'createAccountDevice',
    method: 'POST',
    path: '/operator/v1/devices',
    summary: 'Add a device for a user',
    ...byOperator,
    body: Input({ accountId: Text(64), userId: RequiredText(12), ...NewDevice.properties }),
    status: 201,
    reply: OperatorDevice,
    errors: ['account_not_found', 'number_invalid', 'destination_blocked', 'destination_closed', 'device_limit_reached'],
  }),
  deleteAccountDevice: operation({
    id: 'deleteAccountDevice',
    method: 'DELETE',
    path: '/operator/v1/devices/{accountId}/{deviceId}',
    summary: 'Delete a device of an account',
    ...byOperator,
    status: 204,
    errors: ['device_not_found'],
  }),
}
