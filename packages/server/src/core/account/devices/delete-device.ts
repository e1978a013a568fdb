import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { deactivateCard } from '../sims/move-order.ts'
import { moveOrder } from '../sims/move-order.ts'

interface Deletion {
  accountId: string
  deviceId: string
  actor: string
}

export const deleteDevice = async (tables: Tables, clock: Clock, { accountId, deviceId, actor }: Deletion): Promise<void> => {
  const device = await tables.devices.lock(accountId, deviceId)
  if (!device) throw new Problem('device_not_found')
  await removeDevice(tables, clock, accountId, deviceId)
  const detail = { type: device.type, userId: device.owner }
  await tables.audit.append(accountId, { at: clock.now(), actor, action: 'device.delete', target: deviceId, detail })
}

/** Voids its SIM card, or cancels the shipment, and unregisters it. */
export const releaseDevice = async (tables: Tables, clock: Clock, accountId: string, deviceId: string): Promise<void> => {
  const order = await tables.sims.lockOpenOrder(accountId, deviceId)
  if (order) await moveOrder(tables, clock, order, { event: 'cancel' })
  await deactivateCard(tables, accountId, deviceId)
  await tables.devices.unregister(accountId, deviceId)
}

/** Removes the device from lines and groups. A call running on it continues. */
export const removeDevice = async (tables: Tables, clock: Clock, accountId: string, deviceId: string): Promise<void> => {
  await releaseDevice(tables, clock, accountId, deviceId)
  await tables.users.clearDefaultDevice(accountId, deviceId)
  await tables.devices.remove(accountId, deviceId, clock.now())
}
