import { Problem } from '@offhook/contract/problem.ts'
import type { deviceSettingOperations } from '@offhook/contract/v1/devices/device-settings.ts'
import { chooseCallerId, effectiveCallerId } from '#core/account/devices/caller-id.ts'
import { requireType, resetSipPassword, setTargetNumber } from '#core/account/devices/change-device.ts'
import type { DeviceChange } from '#core/kernel/ports/store/device/devices.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'
import { deviceFor } from './device-access.ts'
import { auditByUser, userActor } from '#core/kernel/audit/audit-by.ts'

export const deviceSettingHandlers = ({
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
