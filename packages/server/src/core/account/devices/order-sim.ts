import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SimOrder } from '#core/kernel/ports/store/number.ts'
import { takePrice } from '../sims/move-order.ts'
import { requireType } from './change-device.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

interface OrderInput {
  /** Idempotency key: one order per id. */
  id: string
  accountId: string
  device: Device
  addressId: string
  /** User id. */
  orderedBy: string
}

export const orderSim = async (tables: Tables, clock: Clock, input: OrderInput): Promise<void> => {
  const { id, accountId, device, orderedBy } = input
  requireType(device, 'MOBILE')
  if (await tables.sims.findOrder(accountId, id)) return
  const at = clock.now()
  const address = await snapshot(tables, accountId, input.addressId)
  const order: SimOrder = {
    id,
    accountId,
    deviceId: device.id,
    state: 'ORDERED',
    iccid: undefined,
    address,
    orderedBy,
    createdAt: at,
    updatedAt: at,
  }
  if (!(await tables.sims.insertOrder(order))) throw new Problem('sim_order_open')
  await takePrice(tables, clock, order)
  await auditByUser(tables, clock, { accountId, userId: orderedBy }, 'sim.order', device.id, { orderId: id })
}

/** Snapshot of the delivery address, so that later changes do not redirect the parcel. */
const snapshot = async (tables: Tables, accountId: string, addressId: string): Promise<SimOrder['address']> => {
  const found = /^\d{1,15}$/.test(addressId) ? await tables.addresses.find(accountId, Number(addressId)) : undefined
  if (!found) throw Problem.field('addressId', 'is not an address of this account')
  const { id: _id, ...address } = found
  return address
}
