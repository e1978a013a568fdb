import { orderSim } from '#core/account/devices/order-sim.ts'
import type { deviceSimOperations } from '@offhook/contract/v1/devices/device-sims.ts'
import type { SimOrder as SimOrderElement } from '@offhook/contract/v1/devices/device-values.ts'
import type { Static } from 'typebox'
import { assignSim, removeSim } from '#core/account/devices/device-sim.ts'
import type { SimOrder } from '#core/kernel/ports/store/number.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-deps.ts'
import { toAddressElement } from '#http/handler/address-element.ts'
import { belongingTo } from './device-access.ts'
import { userActor } from '#core/kernel/audit/audit.ts'

export const deviceSimHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof deviceSimOperations> => ({
  /** Packages are not sold yet, so every allowance is empty. */
  getDeviceContingents: async ({ caller, params }) => {
    belongingTo(params.userId, await store.read.devices.find(caller.accountId, params.deviceId))
    return { contingents: [] }
  },

  assignSim: async ({ caller: { accountId, userId }, params, body }) =>
    store.write(async (tables) => {
      const device = belongingTo(params.userId, await tables.devices.lock(accountId, params.deviceId))
      await assignSim(tables, clock, { accountId, device, actor: userActor(userId) }, body.simId)
    }),

  removeSim: async ({ caller: { accountId, userId }, params }) =>
    store.write(async (tables) => {
      const device = belongingTo(params.userId, await tables.devices.lock(accountId, params.deviceId))
      await removeSim(tables, clock, { accountId, device, actor: userActor(userId) })
    }),

  listSimOrders: async ({ caller, params }) => {
    const device = belongingTo(params.userId, await store.read.devices.find(caller.accountId, params.deviceId))
    return { items: (await store.read.sims.listOrders(caller.accountId, device.id)).map(toSimOrderElement) }
  },

  orderSim: async ({ caller: { accountId, userId }, params, body, effectId }) =>
    store.write(async (tables) => {
      const device = belongingTo(params.userId, await tables.devices.lock(accountId, params.deviceId))
      await orderSim(tables, clock, { id: effectId, accountId, device, addressId: body.addressId, orderedBy: userId })
    }),
})

export const toSimOrderElement = (order: SimOrder): Static<typeof SimOrderElement> => {
  const { id: _id, ...address } = toAddressElement({ id: 0, ...order.address })
  return {
    id: order.id,
    deviceId: order.deviceId,
    state: order.state,
    address,
    orderedBy: order.orderedBy,
    orderedAt: new Date(order.createdAt).toISOString(),
    changedAt: new Date(order.updatedAt).toISOString(),
    ...(order.iccid !== undefined && { simId: order.iccid }),
  }
}
