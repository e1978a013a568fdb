import { Problem } from '@offhook/contract/problem.ts'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { deviceOperations } from '@offhook/contract/v1/devices.ts'
import { changeDevice } from '#core/account/devices/change-device.ts'
import { provideBrowserDevice } from '#core/account/devices/browser-device.ts'
import { createDevice } from '#core/account/devices/create-device.ts'
import { deleteDevice } from '#core/account/devices/delete-device.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import type { DeviceType } from '#core/kernel/ports/store/device/devices.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { deviceFor } from './devices/device-access.ts'
import { deviceSettingHandlers } from './devices/device-settings.ts'
import { deviceSimHandlers } from './devices/device-sims.ts'
import { viewDevices, type Secrets } from './devices/device-view.ts'
import { auditByUser, userActor } from '#core/kernel/audit/audit-by.ts'

const creation: Record<Input['type'], Restriction> = {
  REGISTER: 'CAN_CREATE_REGISTER_DEVICE',
  MOBILE: 'CAN_CREATE_MOBILE_DEVICE',
  EXTERNAL: 'CAN_CREATE_EXTERNAL_DEVICE',
}

interface Input {
  type: Exclude<DeviceType, 'BROWSER'>
  alias: string
  number?: string
}

export const deviceHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'wallClock' | 'vault' | 'installation' | 'softphoneLinks' | 'phonePages'>,
): Handlers<typeof deviceOperations> => {
  const { store, clock, vault } = deps

  /** The token has to name the scope: `all` is enough where there is no other way, but a list is not read for its passwords. */
  const secretsFor = async (caller: UserCaller, target: string): Promise<Secrets> => {
    if (!caller.scopes.includes('devices:credentials:read')) return 'hidden'
    await store.write((tables) => auditByUser(tables, clock, caller, 'device.credentials.read', target))
    return 'shown'
  }

  const listOf = async (caller: UserCaller, userId: string, type?: DeviceType) => {
    const devices = await store.read.devices.listByOwner(caller.accountId, userId, type)
    return viewDevices(deps, caller.accountId, devices, await secretsFor(caller, userId))
  }

  const viewOne = async (accountId: string, id: string, secrets: Secrets) => {
    const device = await store.read.devices.find(accountId, id)
    const [view] = device ? await viewDevices(deps, accountId, [device], secrets) : []
    if (!view) throw new Problem('device_not_found')
    return view
  }

  const create = async ({ accountId, userId: by }: UserCaller, userId: string, input: Input) => {
    const id = await store.write((tables) => createDevice(tables, clock, vault, { accountId, userId, actor: userActor(by), ...input }))
    return viewOne(accountId, id, 'shown')
  }

  return {
    getDevice: async ({ caller, params }) => {
      const device = await deviceFor(store, 'CAN_GET_DEVICES', caller, params.deviceId)
      return viewOne(caller.accountId, device.id, await secretsFor(caller, device.id))
    },

    changeDevice: async ({ caller, params, body }) => {
      const device = await deviceFor(store, 'CAN_CHANGE_DEVICES', caller, params.deviceId)
      await store.write((tables) => changeDevice(tables, clock, caller, device.id, body))
    },

    deleteDevice: async ({ caller, params }) => {
      const { id: deviceId } = await deviceFor(store, 'CAN_DELETE_DEVICES', caller, params.deviceId)
      const { accountId, userId } = caller
      await store.write((tables) => deleteDevice(tables, clock, { accountId, deviceId, actor: userActor(userId) }))
    },

    listUserDevices: async ({ caller, params }) => ({ items: await listOf(caller, params.userId) }),

    createUserDevice: async ({ caller, params, body }) => {
      await demand(store, creation[body.type], caller, params.userId)
      return create(caller, params.userId, body)
    },

    listRegisterDevices: async ({ caller, params }) => {
      const devices = await listOf(caller, params.userId, 'REGISTER')
      return { items: devices.filter((device) => device.type === 'REGISTER') }
    },

    createRegisterDevice: async ({ caller, params, body }) => {
      const device = await create(caller, params.userId, { type: 'REGISTER', ...body })
      return device as Extract<typeof device, { type: 'REGISTER' }>
    },

    listMobileDevices: async ({ caller, params }) => {
      const devices = await listOf(caller, params.userId, 'MOBILE')
      return { items: devices.filter((device) => device.type === 'MOBILE') }
    },

    createMobileDevice: async ({ caller, params, body }) => {
      const device = await create(caller, params.userId, { type: 'MOBILE', ...body })
      return device as Extract<typeof device, { type: 'MOBILE' }>
    },

    listExternalDevices: async ({ caller, params }) => {
      const devices = await listOf(caller, params.userId, 'EXTERNAL')
      return { items: devices.filter((device) => device.type === 'EXTERNAL') }
    },

    createExternalDevice: async ({ caller, params, body }) => {
      const device = await create(caller, params.userId, { type: 'EXTERNAL', ...body })
      return device as Extract<typeof device, { type: 'EXTERNAL' }>
    },

    putBrowserDevice: async ({ caller: { accountId, userId: by }, params: { userId } }) => {
      const id = await store.write((tables) => provideBrowserDevice(tables, clock, vault, { accountId, userId, actor: userActor(by) }))
      const device = await viewOne(accountId, id, 'hidden')
      return device as Extract<typeof device, { type: 'BROWSER' }>
    },

    ...deviceSettingHandlers(deps),
    ...deviceSimHandlers(deps),
  }
}
