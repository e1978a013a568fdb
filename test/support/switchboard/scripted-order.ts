import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { startCall, type CallWish } from '#core/telephone/orders/start-call.ts'
import { adminOf } from './flow-calls.ts'
import type { Customer, Exchange } from './scripted-exchange.ts'

type Input = Partial<CallWish> & Pick<CallWish, 'callee'>

/** A call between two phones, ordered as over the interface, from the customer's phone unless said otherwise. */
export const placeOrder = (exchange: Exchange, customer: Customer, input: Input, sessionId: string): Promise<void> => {
  const { store, clock, callRouter } = exchange
  const nothing = async () => assert.fail()
  const orders = { startCall: callRouter.startCall.bind(callRouter), sendFax: nothing, sendSms: nothing }
  return startCall({ store, clock, orders, wake: () => {} }, adminOf(customer), sessionId, { caller: customer.deviceId, ...input })
}

/** The same; everything that follows at once has happened. Gives the id of the call. */
export const orderCall = async (exchange: Exchange, customer: Customer, input: Input, sessionId: string = randomUUID()): Promise<string> => {
  await placeOrder(exchange, customer, input, sessionId)
  await exchange.rest()
  return sessionId
}
