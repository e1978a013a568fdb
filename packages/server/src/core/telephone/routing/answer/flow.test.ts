import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymousCaller, openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { FlowCall } from '#core/kernel/ports/assistant.ts'

/** Routes the customer's number to a flow. */
const routeToFlow = async (exchange: Exchange, { accountId, number }: Customer): Promise<string> => {
  const id = `flow-${accountId}`
  await exchange.store.write((tables) => tables.flows.insert(accountId, { id, name: 'Reception', settings: {} }, 0))
  await routeNumber(exchange, { accountId, number }, id)
  return id
}

const routeNumber = (exchange: Exchange, { accountId, number }: Pick<Customer, 'accountId' | 'number'>, flowId: string): Promise<void> =>
  exchange.store.write(async (tables) => {
    await tables.numbers.setRouting(accountId, (await tables.numbers.findByE164(accountId, number))?.id ?? '', { flowId })
  })

test('shows a call answered by an assistant in its account and in the history', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const flowId = await routeToFlow(exchange, ada)
  const caller = await exchange.callIn(ada.number)
  assert.deepEqual(caller.log, ['answer'])
  const admin = { accountId: ada.accountId, userId: ada.userId, admin: true } as UserCaller
  assert.equal(exchange.calls.list(admin).length, 1)
  await exchange.seconds(32)
  caller.hangsUp()
  await exchange.rest()
  assert.equal(exchange.lastEnd?.reason, 'caller_hangup')
  const entry = await exchange.entry(ada)
  assert.deepEqual([entry.status, entry.detail.duration, entry.userId, entry.targetAlias], ['PICKUP', 32, undefined, 'Reception'])
  assert.deepEqual(
    entry.endpoints.map(({ type, extension, kind }) => [type, extension, kind]),
    [
      ['ROUTED', flowId, 'FLOW'],
      ['PICKUP', flowId, 'FLOW'],
    ],
  )
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
})

test('treats a user’s browser talk with a flow as a free call with their name and number', async (t) => {
  const sessions: Pick<FlowCall, 'callId' | 'from' | 'to'>[] = []
  const flows = {
    run: async (call: FlowCall): Promise<void> => {
      sessions.push({ callId: call.callId, from: call.from, to: call.to })
      await call.answer()
      await call.over
    },
  }
  const exchange = await openExchange(t, { flows })
  const ada = await exchange.newCustomer()
  const { accountId, userId } = ada
  const flowId = `flow-${accountId}`
  await exchange.store.write((tables) => tables.flows.insert(accountId, { id: flowId, name: 'Reception', settings: {} }, 0))
  const callFrom = async (origin: { userId?: string; flowId?: string }, id: string): Promise<ScriptedLeg> => {
    const leg = exchange.telephony.arrives({ kind: 'web', accountId, userId, flowId, ...origin }, flowId, { id, maxSeconds: 60 })
    await exchange.rest()
    return leg
  }
  const caller = await callFrom({}, 'talk-1')
  assert.deepEqual([caller.log, sessions[0]], [['answer'], { callId: 'talk-1', from: ada.number, to: flowId }])
  const member = { accountId, userId, admin: false } as UserCaller
  assert.equal(exchange.calls.list(member).length, 1, 'it is theirs')
  await exchange.seconds(60)
  assert.deepEqual(exchange.lastEnd, { by: 'service', reason: 'max_duration', cause: 'normal' })
  const entry = await exchange.entry(ada)
  assert.deepEqual(
    [entry.sessionId, entry.userId, entry.source, entry.target, entry.status],
    ['talk-1', userId, ada.number, flowId, 'PICKUP'],
  )
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })

  await routeNumber(exchange, ada, flowId)
  const again = await callFrom({}, 'talk-2')
  assert.deepEqual(sessions[1], { callId: 'talk-2', from: undefined, to: ada.number }, 'the only number is the flow’s now')
  again.hangsUp()
  for (const gone of [{ userId: 'w99' }, { flowId: 'nothing' }])
    assert.deepEqual((await callFrom(gone, 'talk-3')).log, ['hangUp forbidden'])
  exchange.callRouter.drain()
  assert.deepEqual((await callFrom({}, 'talk-4')).log, ['hangUp overloaded'])
})

test('gives the assistant the caller’s number, ends the call when it is done, and allows it not to answer', async (t) => {
  const sessions: Pick<FlowCall, 'accountId' | 'direction' | 'from' | 'to' | 'language'>[] = []
  const flows = {
    run: async (call: FlowCall): Promise<void> => {
      const { accountId, direction, from, to, language } = call
      sessions.push({ accountId, direction, from, to, language })
      if (from !== undefined) await call.answer()
    },
  }
  const exchange = await openExchange(t, { flows })
  const ada = await exchange.newCustomer()
  await routeToFlow(exchange, ada)
  const caller = await exchange.callIn(ada.number)
  assert.deepEqual(caller.log, ['answer', 'hangUp normal'])
  assert.deepEqual(exchange.lastEnd, { by: 'assistant', reason: 'assistant_hangup', cause: 'normal' })
  assert.deepEqual((await exchange.callIn(ada.number, { caller: anonymousCaller })).log, ['hangUp unavailable'])
  const [first, second] = sessions
  assert.deepEqual(first, { accountId: ada.accountId, direction: 'inbound', from: outsideNumber, to: ada.number, language: 'de' })
  assert.equal(second?.from, undefined)
})

test('ends the call as a service failure when the assistant throws', async (t) => {
  const exchange = await openExchange(t, { flows: { run: () => Promise.reject(new Error('broken')) } })
  const ada = await exchange.newCustomer()
  await routeToFlow(exchange, ada)
  assert.deepEqual((await exchange.callIn(ada.number)).log, ['hangUp failed'])
  assert.equal(exchange.lastEnd?.reason, 'service_failure')
})
