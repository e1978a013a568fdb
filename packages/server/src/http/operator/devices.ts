import type { OperatorDevice, operatorDeviceOperations } from '@offhook/contract/operator/devices.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { operatorActor } from '#core/kernel/audit/audit.ts'
import type { Static } from 'typebox'
import { createDevice } from '#core/account/devices/create-device.ts'
import { deleteDevice } from '#core/account/devices/delete-device.ts'
import { situate } from '#core/account/devices/situation.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorDeviceHandlers = ({
  store,
  clock,
  wallClock,
  vault,
  phonePages,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wallClock' | 'vault' | 'phonePages'>): Handlers<typeof operatorDeviceOperations> => {
  const view = async (accountId: string, devices: Device[]): Promise<Static<typeof OperatorDevice>[]> => {
    const situated = await situate(store.read, { clock: wallClock, phonePages }, accountId, devices)
    return situated.map(([{ id, alias, type, owner, dnd }, { online }]) => ({ accountId, id, alias, type, userId: owner, online, dnd }))
  }

  return {
    listAccountDevices: async ({ query: { accountId } }) => {
      if (!(await store.read.accounts.find(accountId))) throw new Problem('account_not_found')
      return { items: await view(accountId, await store.read.devices.list(accountId)) }
    },

    createAccountDevice: async ({ caller, body }) => {
      const { accountId } = body
      const device = await store.write(async (tables) => {
        if (!(await tables.accounts.find(accountId))) throw new Problem('account_not_found')
        const id = await createDevice(tables, clock, vault, { ...body, actor: operatorActor(caller) })
        return tables.devices.find(accountId, id)
      })
      const [created] = device ? await view(accountId, [device]) : []
      if (!created) throw new Problem('device_not_found')
      return created
    },

    deleteAccountDevice: async ({ caller, params: { accountId, deviceId } }) =>
      store.write((tables) => deleteDevice(tables, clock, { accountId, deviceId, actor: operatorActor(caller) })),
  }
}
