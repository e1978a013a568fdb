import { Problem } from '@offhook/contract/problem.ts'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

/** A device addressed without its user: checks the caller's permission for the device's owner. */
export const deviceFor = async (store: Store, restriction: Restriction, caller: UserCaller, deviceId: string): Promise<Device> => {
  const device = await store.read.devices.find(caller.accountId, deviceId)
  if (!device) throw new Problem('device_not_found')
  await demand(store, restriction, caller, device.owner)
  return device
}

/** A device addressed under its user; not found under any other user. */
export const belongingTo = (userId: string, device: Device | undefined): Device => {
  if (device?.owner !== userId) throw new Problem('device_not_found')
  return device
}
