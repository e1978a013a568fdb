import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { startCall, type CallRequest } from '#core/telephone/orders/start-call.ts'
import { adminOf } from './flow-calls.ts'
import type { Customer, Exchange } from './scripted-exchange.ts'

type Input = Partial<CallRequest> & Pick<CallRequest, 'callee'>

/** Originates a call between two phones, as over the API; default caller: the customer's phone. */
export const placeOrder = (exchange: Exchange, customer: Customer, input: Input, sessionId: string): Promise<void> => {
  const { store, clock, callRouter } = exchange
  const nothing = async () => assert.fail()
  const orders = { startCall: callRouter.startCall.bind(callRouter), sendFax: nothing, sendSms: nothing }
  return startCall({ store, clock, orders, wake: () => {} }, adminOf(customer), sessionId, { caller: customer.deviceId, ...input })
}

/** The same; resolves after its immediate effects. Returns the id of the call. */
export const orderCall = async (
  exchange: Exchange,
  customer: Customer,
  input: Input,
  sessionId: string = randomUUID(),
): Promise<string> => {
  await placeOrder(exchange, customer, input, sessionId)
  await exchange.rest()
  return sessionId
}
