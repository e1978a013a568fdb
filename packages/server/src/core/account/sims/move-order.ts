import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SimOrder, SimOrderState } from '#core/kernel/ports/store/number/sims.ts'
import { activateCard } from './cards.ts'
import { refund } from './order-price.ts'
import { nextState, type SimOrderEvent } from './sim-order-machine.ts'

export interface TimelineEvent {
  event: SimOrderEvent
  /** Which card was picked. */
  iccid?: string
}

/** Carries an order on and does to its card what that means. */
export const moveOrder = async (tables: Tables, clock: Clock, order: SimOrder, { event, iccid }: TimelineEvent): Promise<SimOrder> => {
  const state = nextState(order.state, event)
  if (!state) throw new Problem('conflict', `An order that is ${order.state} cannot do this: ${event}.`)
  if (iccid !== undefined && event !== 'pick') throw Problem.field('iccid', 'is only possible with the event pick')
  const card = event === 'pick' ? await pickCard(tables, order, iccid) : order.iccid
  if (event === 'activate' && card !== undefined) await activateCard(tables, order, card)
  if (event === 'ship' && card !== undefined) await tables.sims.setCard(card, 'SHIPPED', order)
  if (event === 'cancel') await cancel(tables, clock, order)
  return settle(tables, clock, order, state, card)
}

/** Writes the new state and tells the account. */
const settle = async (
  tables: Tables,
  clock: Clock,
  order: SimOrder,
  state: SimOrderState,
  iccid: string | undefined,
): Promise<SimOrder> => {
  const { id, accountId, deviceId } = order
  await tables.sims.setOrder(id, state, iccid, clock.now())
  const payload = { orderId: id, deviceId, status: state }
  await tables.appEvents.insert(accountId, { type: 'SIM_ORDER', name: 'sim_order_changed', payload }, clock.now())
  return { ...order, state, iccid, updatedAt: clock.now() }
}

const pickCard = async (tables: Tables, order: SimOrder, iccid: string | undefined): Promise<string> => {
  if (iccid === undefined) throw Problem.field('iccid', 'is required with the event pick')
  const card = await tables.sims.lockCard(iccid)
  if (card?.state !== 'STOCK' || card.holder) throw Problem.field('iccid', 'is not a free SIM card in stock')
  await tables.sims.setCard(iccid, 'STOCK', order)
  return iccid
}

/** A card that has left the house must never work; one that has not goes back to the shelf, and so does the money. */
const cancel = async (tables: Tables, clock: Clock, order: SimOrder): Promise<void> => {
  const hasLeft = order.state === 'SHIPPED' || order.state === 'DELIVERED'
  if (order.iccid !== undefined) await tables.sims.setCard(order.iccid, hasLeft ? 'DEACTIVATED' : 'STOCK', hasLeft ? order : undefined)
  if (!hasLeft) await refund(tables, clock, order)
}
