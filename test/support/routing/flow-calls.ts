import type { Variables } from '@offhook/contract/assistant/variables.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { startFlowCall } from '#core/telephone/orders/start-call.ts'
import type { Customer, Exchange } from './scripted-exchange.ts'

/** Creates a flow of the customer, and routes the customer's number to it. */
export const addFlow = async (exchange: Exchange, { accountId, number }: Customer, settings: FlowSettings = {}): Promise<string> => {
  const id = `flow-${accountId}`
  await exchange.store.write(async (tables) => {
    await tables.flows.insert(accountId, { id, name: 'Reception', settings: { phoneNumber: number.slice(1), ...settings } }, 0)
    await tables.numbers.setRouting(accountId, (await tables.numbers.findByE164(accountId, number))?.id ?? '', { flowId: id })
  })
  return id
}

export const adminOf = ({ accountId, userId }: Customer): UserCaller => ({
  kind: 'user',
  accountId,
  userId,
  admin: true,
  scopes: ['all'],
  tokenId: 'test',
})

/** Originates a call of the customer's assistant, as over the API. Returns the id of the call. */
export const callOut = async (
  exchange: Exchange,
  customer: Customer,
  to: string,
  sessionId: string = randomUUID(),
  trace?: IncomingTrace,
  more: { variables?: Variables; correlationId?: string } = {},
): Promise<string> => {
  const { clock, callRouter } = exchange
  const nothing = async () => assert.fail()
  const orders = { startCall: callRouter.startCall.bind(callRouter), sendFax: nothing, sendSms: nothing }
  const input = { flowId: `flow-${customer.accountId}`, billingDevice: customer.deviceId, toPhoneNumber: to.slice(1), trace, ...more }
  await startFlowCall({ store: exchange.store, clock, orders, wake: () => {} }, adminOf(customer), sessionId, input)
  await exchange.rest()
  return sessionId
}
