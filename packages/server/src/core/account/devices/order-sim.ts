import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SimOrder } from '#core/kernel/ports/store/number/sims.ts'
import { takePrice } from '../sims/order-price.ts'
import { requireType } from './change-device.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

export interface OrderInput {
  /** The same id orders once. */
  id: string
  accountId: string
  device: Device
  addressId: string
  /** The user. */
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

/** The parcel goes where it was meant to go, even if the address is changed meanwhile. */
const snapshot = async (tables: Tables, accountId: string, addressId: string): Promise<SimOrder['address']> => {
  const found = /^\d{1,15}$/.test(addressId) ? await tables.addresses.find(accountId, Number(addressId)) : undefined
  if (!found) throw Problem.field('addressId', 'is not an address of this account')
  const { id: _id, ...address } = found
  return address
}
