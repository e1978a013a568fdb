import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { Input, Items, Output, RequiredText, Timestamp } from '../../values.ts'
import { SimOrder } from './device-values.ts'

const byUser = { auth: 'user', bearer: true } as const

const Contingent = Output({
  type: Type.String(),
  amount: Type.Integer(),
  used: Type.Integer(),
  left: Type.Integer(),
  unit: Type.String(),
  expires: Timestamp,
})

/** SIM cards and packages of a user's device. */
export const deviceSimOperations = {
  getDeviceContingents: operation({
    id: 'getDeviceContingents',
    method: 'GET',
    path: '/v1/{userId}/devices/{deviceId}/contingents',
    summary: 'What is left of the packages that were booked for a device',
    ...byUser,
    scopes: ['devices:read'],
    permission: 'CAN_GET_DEVICES',
    status: 200,
    reply: Output({ contingents: Type.Array(Contingent) }),
    errors: ['user_not_found', 'device_not_found'],
  }),
  assignSim: operation({
    id: 'assignSim',
    method: 'POST',
    path: '/v1/{userId}/devices/{deviceId}/sim',
    summary: 'Put a SIM card that was received into a device and activate it; an earlier card is deactivated',
    ...byUser,
    scopes: ['devices:write', 'devices:sim:write'],
    permission: 'CAN_CHANGE_SIM',
    body: Input({ simId: RequiredText(22) }),
    status: 204,
    errors: ['user_not_found', 'device_not_found', 'conflict'],
  }),
  removeSim: operation({
    id: 'removeSim',
    method: 'DELETE',
    path: '/v1/{userId}/devices/{deviceId}/sim',
    summary: 'Deactivate the SIM card of a device for good',
    ...byUser,
    scopes: ['devices:write', 'devices:sim:write'],
    permission: 'CAN_CHANGE_SIM',
    status: 204,
    errors: ['user_not_found', 'device_not_found', 'sim_not_found'],
  }),
  listSimOrders: operation({
    id: 'listSimOrders',
    method: 'GET',
    path: '/v1/{userId}/devices/{deviceId}/sim/orders',
    summary: 'SIM cards that were ordered for a device, the latest first',
    ...byUser,
    scopes: ['devices:read', 'devices:sim:read'],
    permission: 'CAN_GET_DEVICES',
    status: 200,
    reply: Items(SimOrder),
    errors: ['user_not_found', 'device_not_found'],
  }),
  orderSim: operation({
    id: 'orderSim',
    method: 'POST',
    path: '/v1/{userId}/devices/{deviceId}/sim/orders',
    summary: 'Order a SIM card for a mobile device',
    ...byUser,
    scopes: ['devices:write', 'devices:sims:orders:write'],
    permission: 'CAN_ORDER_SIM',
    body: Input({ addressId: RequiredText(20) }),
    idempotent: true,
    status: 204,
    errors: ['user_not_found', 'device_not_found', 'sim_order_open', 'insufficient_funds'],
  }),
}
