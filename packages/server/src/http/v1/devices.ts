import { Problem } from '@offhook/contract/problem.ts'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { deviceOperations } from '@offhook/contract/v1/devices.ts'
import { changeDevice, requireType, resetSipPassword, setTargetNumber } from '#core/account/devices/change-device.ts'
import { provideBrowserDevice } from '#core/account/devices/browser-device.ts'
import { createDevice } from '#core/account/devices/create-device.ts'
import { deleteDevice } from '#core/account/devices/delete-device.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import type { DeviceType, Device, DeviceChange } from '#core/kernel/ports/store/device.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { deviceFor } from './devices/device-access.ts'
import { deviceSimHandlers } from './devices/device-sims.ts'
import { auditByUser, userActor } from '#core/kernel/audit/audit.ts'
import type {
  BrowserDevice,
  Device as DeviceElement,
  ExternalDevice,
  MobileDevice,
  RegisterDevice,
} from '@offhook/contract/v1/devices/device-values.ts'
import type { Static } from 'typebox'
import { situate, type Situated, type Situation } from '#core/account/devices/situation.ts'
import type { deviceSettingOperations } from '@offhook/contract/v1/devices/device-settings.ts'
import { chooseCallerId, effectiveCallerId } from '#core/account/devices/caller-id.ts'

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

  /** The token must name the scope: `all` suffices where there is no other way, but a list does not reveal passwords to it. */
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

type ViewDeps = Pick<HandlerDeps, 'store' | 'wallClock' | 'vault' | 'installation' | 'phonePages'>

/** `shown`: passwords as stored. `hidden`: empty, so that the element keeps its shape. */
type Secrets = 'shown' | 'hidden'

/** Devices in the API's form, with connection settings. */
const viewDevices = async (
  deps: ViewDeps,
  accountId: string,
  devices: Device[],
  secrets: Secrets,
): Promise<Static<typeof DeviceElement>[]> => {
  const situated = await situate(deps.store.read, { ...deps, clock: deps.wallClock }, accountId, devices)
  const open = (sealed: string): string => (secrets === 'shown' ? deps.vault.open(sealed) : '')
  return situated.map((one) => view({ ...deps, open }, one))
}

type Viewing = ViewDeps & { open: (sealed: string) => string }

const view = (parts: Viewing, [device, situation]: Situated): Static<typeof DeviceElement> => {
  if (device.type === 'REGISTER') return viewRegister(parts, device, situation)
  if (device.type === 'BROWSER') return viewBrowser(device, situation)
  return device.type === 'MOBILE' ? viewMobile(parts, device, situation) : viewExternal(device, situation)
}

const common = (device: Device, { online, phonelines, groups }: Situation) => ({
  id: device.id,
  alias: device.alias,
  online,
  dnd: device.dnd,
  activePhonelines: phonelines,
  activeGroups: groups,
  ...(device.emergencyAddressId !== undefined && {
    emergencyAddressId: device.emergencyAddressId,
    addressUrl: `/v1/addresses/${device.emergencyAddressId}`,
  }),
})

const viewRegister = (parts: Viewing, device: Device, situation: Situation): Static<typeof RegisterDevice> => {
  const { host, port, webSocketUrl } = parts.installation.sip
  return {
    ...common(device, situation),
    type: 'REGISTER',
    credentials: {
      username: device.sip?.username ?? '',
      password: device.sip ? parts.open(device.sip.passwordSealed) : '',
      sipServer: port === 5060 ? host : `${host}:${port}`,
      outboundProxy: `${host}:${port}`,
      sipServerWebsocketUrl: webSocketUrl(),
    },
    registered: situation.registrations.map(({ userAgent, ip, port: from }) => ({ userAgent, ip, port: from })),
  }
}

const viewMobile = (parts: Viewing, device: Device, situation: Situation): Static<typeof MobileDevice> => {
  const { card, simState } = situation
  return {
    ...common(device, situation),
    type: 'MOBILE',
    ...(card && {
      credentials: { simId: card.iccid, puk1: parts.open(card.puk1Sealed), puk2: parts.open(card.puk2Sealed) },
    }),
    simState,
    esim: device.esim,
  }
}

const viewExternal = (device: Device, situation: Situation): Static<typeof ExternalDevice> => ({
  ...common(device, situation),
  type: 'EXTERNAL',
  number: device.external?.number ?? '',
  incomingCallDisplayState: device.external?.incomingCallDisplay ?? 'CALLER_NUMBER',
})

const viewBrowser = (device: Device, situation: Situation): Static<typeof BrowserDevice> => ({
  ...common(device, situation),
  type: 'BROWSER',
  pages: situation.pages.map(({ since, ...page }) => ({ ...page, since: new Date(since).toISOString() })),
})

const deviceSettingHandlers = ({
  store,
  clock,
  vault,
  softphoneLinks,
}: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'softphoneLinks'>): Handlers<typeof deviceSettingOperations> => {
  const change = async (accountId: string, deviceId: string, to: DeviceChange): Promise<void> => {
    const changed = await store.write((tables) => tables.devices.update(accountId, deviceId, to))
    if (!changed) throw new Problem('device_not_found')
  }

  return {
    setDeviceAlias: async ({ caller, params, body }) => {
      const { id } = await deviceFor(store, 'CAN_CHANGE_DEVICES', caller, params.deviceId)
      const named = await store.write((tables) => tables.extensions.setAlias(caller.accountId, id, body.value))
      if (!named) throw new Problem('device_not_found')
    },

    getDeviceSound: async ({ caller, params }) => {
      const { sound } = await deviceFor(store, 'CAN_GET_DEVICES', caller, params.deviceId)
      return sound ? { trouble: { ...sound, at: new Date(sound.at).toISOString() } } : {}
    },

    getDeviceCallerId: async ({ caller, params }) => {
      const device = await deviceFor(store, 'CAN_GET_DEVICE_CALLERID', caller, params.deviceId)
      return { value: await effectiveCallerId(store.read, caller.accountId, device) }
    },

    setDeviceCallerId: async ({ caller, params, body }) => {
      const { id } = await deviceFor(store, 'CAN_CHANGE_DEVICE_CALLERID', caller, params.deviceId)
      await store.write((tables) => chooseCallerId(tables, clock, caller, id, body.value))
    },

    resetDevicePassword: async ({ caller, params }) => {
      const device = await deviceFor(store, 'CAN_CHANGE_DEVICES', caller, params.deviceId)
      const reset = { accountId: caller.accountId, device, actor: userActor(caller.userId) }
      return { password: await store.write((tables) => resetSipPassword(tables, clock, vault, reset)) }
    },

    readDeviceCredentials: async ({ caller, params }) => {
      const { id, sip } = await deviceFor(store, 'CAN_GET_DEVICES', caller, params.deviceId)
      const card = (await store.read.sims.activeCards(caller.accountId, [id])).get(id)
      await store.write((tables) => auditByUser(tables, clock, caller, 'device.credentials.read', id))
      return {
        ...(sip && { password: vault.open(sip.passwordSealed) }),
        ...(card && { puk1: vault.open(card.puk1Sealed), puk2: vault.open(card.puk2Sealed) }),
      }
    },

    createSoftphoneLink: async ({ caller, params }) => {
      const device = await deviceFor(store, 'CAN_GET_DEVICES', caller, params.deviceId)
      const { url, expiresAt } = softphoneLinks.make(caller, device)
      await store.write((tables) => auditByUser(tables, clock, caller, 'device.softphone_link', device.id))
      return { url, expiresAt: new Date(expiresAt).toISOString() }
    },

    setIncomingCallDisplay: async ({ caller, params, body }) => {
      const device = await deviceFor(store, 'CAN_CHANGE_DEVICES', caller, params.deviceId)
      requireType(device, 'EXTERNAL')
      await change(caller.accountId, device.id, { incomingCallDisplay: body.incomingCallDisplay })
    },

    setExternalTargetNumber: async ({ caller, params, body }) => {
      const device = await deviceFor(store, 'CAN_CHANGE_DEVICES', caller, params.deviceId)
      await store.write((tables) => setTargetNumber(tables, clock, caller, device, body.number))
    },

    getLocalPrefix: async ({ caller, params }) => {
      const { localPrefix, localPrefixActive } = await deviceFor(store, 'CAN_GET_DEVICES', caller, params.deviceId)
      return { value: localPrefix, active: localPrefixActive }
    },

    setLocalPrefix: async ({ caller, params, body }) => {
      const { id } = await deviceFor(store, 'CAN_CHANGE_DEVICES', caller, params.deviceId)
      if (body.active && body.value === '') throw Problem.field('value', 'is required while active is true')
      await change(caller.accountId, id, { localPrefix: body.value, localPrefixActive: body.active })
    },

    getSingleRowDisplay: async ({ caller, params }) => {
      const device = await deviceFor(store, 'CAN_GET_DEVICES', caller, params.deviceId)
      return { enabled: device.singleRowDisplay }
    },

    setSingleRowDisplay: async ({ caller, params, body }) => {
      const { id } = await deviceFor(store, 'CAN_CHANGE_DEVICES', caller, params.deviceId)
      await change(caller.accountId, id, { singleRowDisplay: body.enabled })
    },

    getTariffAnnouncement: async ({ caller, params }) => {
      const device = await deviceFor(store, 'CAN_CHANGE_TARIFF_ANNOUNCEMENT', caller, params.deviceId)
      return { enabled: device.tariffAnnouncement }
    },

    setTariffAnnouncement: async ({ caller, params, body }) => {
      const { id } = await deviceFor(store, 'CAN_CHANGE_TARIFF_ANNOUNCEMENT', caller, params.deviceId)
      await change(caller.accountId, id, { tariffAnnouncement: body.enabled })
    },
  }
}
