import type { SimOrderState } from '#core/kernel/ports/store/number/sims.ts'

export type SimOrderEvent = 'pick' | 'ship' | 'deliver' | 'activate' | 'cancel'

/**
 * What can happen to an order. A card may be put to use before the post says that it arrived; cancelling ends where the card works.
 */
const moves: Record<SimOrderState, Partial<Record<SimOrderEvent, SimOrderState>>> = {
  ORDERED: { pick: 'PICKED', cancel: 'CANCELLED' },
  PICKED: { ship: 'SHIPPED', cancel: 'CANCELLED' },
  SHIPPED: { deliver: 'DELIVERED', activate: 'ACTIVATED', cancel: 'CANCELLED' },
  DELIVERED: { activate: 'ACTIVATED', cancel: 'CANCELLED' },
  ACTIVATED: {},
  CANCELLED: {},
}

/** Undefined when this cannot happen now. */
export const nextState = (state: SimOrderState, event: SimOrderEvent): SimOrderState | undefined => moves[state][event]
