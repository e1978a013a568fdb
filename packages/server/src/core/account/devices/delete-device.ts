import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { deactivateCard } from '../sims/cards.ts'
import { moveOrder } from '../sims/move-order.ts'

export interface Deletion {
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

/** Takes the device out of everything it was part of. A call that runs on it goes on. */
export const removeDevice = async (tables: Tables, clock: Clock, accountId: string, deviceId: string): Promise<void> => {
  const order = await tables.sims.lockOpenOrder(accountId, deviceId)
  if (order) await moveOrder(tables, clock, order, { event: 'cancel' })
  await deactivateCard(tables, accountId, deviceId)
  await tables.users.clearDefaultDevice(accountId, deviceId)
  await tables.devices.remove(accountId, deviceId, clock.now())
}
