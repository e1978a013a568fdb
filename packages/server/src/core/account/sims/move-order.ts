import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SimOrder, SimOrderState, SimCard, SimHolder } from '#core/kernel/ports/store/number.ts'
import { charge } from '#core/money/charge.ts'

interface TimelineEvent {
  event: SimOrderEvent
  /** ICCID of the picked card. */
  iccid?: string
}

/** Moves an order to its next state and updates its card. */
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

/** Writes the new state and notifies the account. */
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

/** Deactivates a shipped card for ever; an unshipped one returns to stock with a refund. */
const cancel = async (tables: Tables, clock: Clock, order: SimOrder): Promise<void> => {
  const hasLeft = order.state === 'SHIPPED' || order.state === 'DELIVERED'
  if (order.iccid !== undefined) await tables.sims.setCard(order.iccid, hasLeft ? 'DEACTIVATED' : 'STOCK', hasLeft ? order : undefined)
  if (!hasLeft) await refund(tables, clock, order)
}

export type SimOrderEvent = 'pick' | 'ship' | 'deliver' | 'activate' | 'cancel'

/** Transitions of an order. A card may be activated before the delivery is reported; an order with an active card cannot be cancelled. */
const moves: Record<SimOrderState, Partial<Record<SimOrderEvent, SimOrderState>>> = {
  ORDERED: { pick: 'PICKED', cancel: 'CANCELLED' },
  PICKED: { ship: 'SHIPPED', cancel: 'CANCELLED' },
  SHIPPED: { deliver: 'DELIVERED', activate: 'ACTIVATED', cancel: 'CANCELLED' },
  DELIVERED: { activate: 'ACTIVATED', cancel: 'CANCELLED' },
  ACTIVATED: {},
  CANCELLED: {},
}

/** Undefined when the event is not possible now. */
export const nextState = (state: SimOrderState, event: SimOrderEvent): SimOrderState | undefined => moves[state][event]

/** Charges the price with the order, once per order id. */
export const takePrice = async (tables: Tables, clock: Clock, { id, accountId }: SimOrder): Promise<void> => {
  await charge(tables, clock, { accountId, service: 'SIM', units: 1, sessionId: id, reason: 'SIM order' })
}

/** Refunds exactly the charged amount, whatever the current tariff. */
const refund = async (tables: Tables, clock: Clock, { id, accountId }: SimOrder): Promise<void> => {
  const taken = await tables.balances.findEntry(accountId, `session:${id}`)
  if (!taken) return
  const postings = [
    { book: 'balance', amount: -taken.amount },
    { book: 'revenue', amount: taken.amount },
  ] as const
  const booking = { key: `refund:${id}`, reason: 'SIM order cancelled', sessionId: id, actor: 'service', at: clock.now(), postings }
  await tables.balances.book(accountId, { ...booking, spent: { purpose: 'SIM', units: -1 } })
}

/** Makes a card the active one of its device; deactivates the previous card. */
export const activateCard = async (tables: Tables, { accountId, deviceId }: Required<SimHolder>, iccid: string): Promise<void> => {
  await deactivateCard(tables, accountId, deviceId)
  await tables.sims.setCard(iccid, 'ACTIVE', { accountId, deviceId })
}

/** Returns the deactivated card, if any. A deactivated card never works again. */
export const deactivateCard = async (tables: Tables, accountId: string, deviceId: string): Promise<SimCard | undefined> => {
  const card = (await tables.sims.activeCards(accountId, [deviceId])).get(deviceId)
  if (card) await tables.sims.setCard(card.iccid, 'DEACTIVATED', { accountId, deviceId })
  return card
}

/** Returns a card that this device may get: shipped for this device, or held by its account. Knowing a card's number is not enough. */
export const claimCard = async (tables: Tables, { accountId, deviceId }: Required<SimHolder>, iccid: string): Promise<SimCard> => {
  const card = await tables.sims.lockCard(iccid)
  if (card?.holder?.accountId !== accountId) throw Problem.field('simId', 'is not a SIM card of this account')
  if (card.state === 'DEACTIVATED') throw new Problem('conflict', 'The SIM card was deactivated for good.')
  if (card.holder.deviceId !== undefined && card.holder.deviceId !== deviceId)
    throw new Problem('conflict', 'The SIM card belongs to another device.')
  return card
}
