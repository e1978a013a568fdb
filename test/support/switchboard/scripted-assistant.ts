import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { UserCaller } from '#core/account/identity/caller.ts'
import type { FlowCall, FlowRuntime } from '#core/kernel/ports/flow-runtime.ts'
import type { Flow, FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { startFlowCall } from '#core/telephone/orders/flow-call.ts'
import type { Customer, Exchange } from './scripted-exchange.ts'

interface Session {
  call: FlowCall
  flow: Flow
  /** The assistant has nothing more to do. */
  leave: () => void
}

/** An assistant that takes every call and then does what the test says. */
export class ScriptedAssistant implements FlowRuntime {
  readonly sessions: Session[] = []

  async run(call: FlowCall, _leg: unknown, flow: Flow): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.sessions.push({ call, flow, leave: resolve })
    await call.answer()
    await Promise.race([promise, call.over])
  }

  /** Of the latest call. */
  get call(): FlowCall {
    return this.sessions.at(-1)?.call ?? assert.fail('no assistant has a call')
  }
}

/** A flow of the customer, to which the customer's number leads. */
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

/** The customer's assistant calls somebody, ordered as over the interface. Gives the id of the call. */
export const callOut = async (exchange: Exchange, customer: Customer, to: string, sessionId: string = randomUUID()): Promise<string> => {
  const { clock, switchboard } = exchange
  const nothing = async () => assert.fail()
  const line = { startCall: switchboard.startCall.bind(switchboard), sendFax: nothing, sendSms: nothing }
  const wish = { flowId: `flow-${customer.accountId}`, billingDevice: customer.deviceId, toPhoneNumber: to.slice(1) }
  await startFlowCall({ store: exchange.store, clock, line, wake: () => {} }, adminOf(customer), sessionId, wish)
  await exchange.rest()
  return sessionId
}
