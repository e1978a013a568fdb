import type { Address } from './addresses.ts'

/** STOCK with a holder is a card picked for an order, or handed to an account. DEACTIVATED is for ever. */
export type SimCardState = 'STOCK' | 'SHIPPED' | 'ACTIVE' | 'DEACTIVATED'
export type SimOrderState = 'ORDERED' | 'PICKED' | 'SHIPPED' | 'DELIVERED' | 'ACTIVATED' | 'CANCELLED'

export interface SimHolder {
  accountId: string
  /** None yet when the operator handed the card over without an order. */
  deviceId?: string
}

export interface SimCard {
  iccid: string
  imsi: string | undefined
  puk1Sealed: string
  puk2Sealed: string
  state: SimCardState
  holder: SimHolder | undefined
}

export interface SimOrder {
  id: string
  accountId: string
  deviceId: string
  state: SimOrderState
  iccid: string | undefined
  /** As it was when the card was ordered. */
  address: Omit<Address, 'id'>
  orderedBy: string
  createdAt: number
  updatedAt: number
}

/** The stock belongs to the operator; cards and orders of a customer are only given out for the account they belong to. */
export interface Sims {
  /** False when the card or its IMSI is already known. */
  addCard(card: Omit<SimCard, 'state'>): Promise<boolean>
  listCards(page: { after: string; limit: number; state?: SimCardState }): Promise<SimCard[]>
  /** Locks the card until the transaction ends. */
  lockCard(iccid: string): Promise<SimCard | undefined>
  setCard(iccid: string, state: SimCardState, holder: SimHolder | undefined): Promise<void>
  /** The active card of each of these devices; devices without one are absent. */
  activeCards(accountId: string, deviceIds: readonly string[]): Promise<Map<string, SimCard>>

  /** False when the device already waits for a card. */
  insertOrder(order: SimOrder): Promise<boolean>
  findOrder(accountId: string, id: string): Promise<SimOrder | undefined>
  /** For the operator, who knows no account; locks the order until the transaction ends. */
  lockOrder(id: string): Promise<SimOrder | undefined>
  /** The one the device waits for; locks it until the transaction ends. */
  lockOpenOrder(accountId: string, deviceId: string): Promise<SimOrder | undefined>
  setOrder(id: string, state: SimOrderState, iccid: string | undefined, at: number): Promise<void>
  /** The latest first. */
  listOrders(accountId: string, deviceId: string): Promise<SimOrder[]>
  /** Those of all accounts, the oldest first; `after` is the id of the last one of the page before. */
  listAllOrders(page: { limit: number; after?: string; state?: SimOrderState }): Promise<SimOrder[]>
  devicesWithOpenOrder(accountId: string, deviceIds: readonly string[]): Promise<Set<string>>
}
