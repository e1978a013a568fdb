import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { addFlow, adminOf } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { aNumber, openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'

const other = { by: 'caller', text: 'I want to buy' } as const
const known = { language: 'en', disclosed: true, transcript: [other], variables: { name: 'Ada' } }

/** Another flow, with a number of its own. */
const addSales = async (
  exchange: Exchange,
  { accountId }: Customer,
  settings: FlowSettings = {},
): Promise<{ id: string; number: string }> => {
  const id = randomUUID()
  const number = `+4921155${String(Math.floor(exchange.clock.now()) % 1000).padStart(3, '0')}9999`
  await exchange.store.write(async (tables) => {
    await tables.flows.insert(accountId, { id, name: 'Sales', settings }, 0)
    const row = aNumber(number)
    await tables.numbers.insert(accountId, row)
    await tables.numbers.setRouting(accountId, row.id, { flowId: id })
    await tables.numbers.setVariables(accountId, row.id, { name: 'number', team: 'sales' })
  })
  return { id, number }
}

const talking = async (t: TestContext, settings: (sales: { id: string; number: string }) => FlowSettings = () => ({})) => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { flows: assistant })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money: 500_000 })
  const reception = `flow-${ada.accountId}`
  const sales = await addSales(exchange, ada, { transferTargets: [ada.number, ada.line] })
  await addFlow(exchange, ada, { transferTargets: [sales.id, sales.number, ada.line], ...settings(sales) })
  const caller = await exchange.callIn(ada.number)
  await exchange.seconds(10)
  return { exchange, assistant, ada, reception, sales, caller }
}

/** The present assistant offers this to the next one, and leaves when it was transferred. */
const transfer = async ({ assistant }: Pick<Awaited<ReturnType<typeof talking>>, 'assistant'>, to: string, summary?: string) => {
  const session = assistant.sessions.at(-1)
  assert.ok(session)
  const { call, flow, leave } = session
  call.beforeTransfer((about) => ({ ...known, flow_id: flow.id, session_id: call.sessionId, ...(about && { summary: about }) }))
  const outcome = await call.transfer(to, summary === undefined ? {} : { summary })
  if (outcome === 'taken') leave()
  return outcome
}

for (const way of ['id', 'number'] as const)
  test(`transfers a caller to another assistant by its ${way}, with variables, words and the numbers of the call`, async (t) => {
    const scene = await talking(t)
    const { exchange, assistant, ada, sales, caller } = scene
    const { call: first } = assistant
    assert.equal(await transfer(scene, sales[way], 'wants to buy'), 'taken')
    await exchange.seconds(2)
    const { call, flow } = assistant.sessions.at(-1) ?? assert.fail()
    assert.equal(flow.id, sales.id)
    assert.deepEqual([call.callId, call.sessionId], [first.callId, `${first.callId}.2`])
    assert.deepEqual([call.direction, call.from, call.to], ['inbound', outsideNumber, ada.number])
    const { variables: _variables, ...words } = known
    assert.deepEqual(call.transferredFrom, {
      ...words,
      flow_id: `flow-${ada.accountId}`,
      session_id: first.callId,
      summary: 'wants to buy',
    })
    assert.deepEqual(call.variables, way === 'id' ? { name: 'Ada' } : { name: 'Ada', team: 'sales' })
    assert.deepEqual(caller.playing, [], 'no ringback')
    assert.equal(exchange.calls.list(adminOf(ada)).length, 1)
    caller.hangsUp()
    await exchange.rest()
    const entry = await exchange.entry(ada)
    assert.equal(entry.detail.callStatus, 'SUCCESS')
    assert.deepEqual(
      entry.endpoints.filter(({ type }) => type === 'PICKUP').map(({ extension }) => extension),
      [`flow-${ada.accountId}`, sales.id],
    )
  })

test('rejects a transfer to itself and back to an assistant that had the caller', async (t) => {
  const scene = await talking(t, ({ id }) => ({ transferTargets: [id, '+49*'] }))
  const { exchange, assistant, ada, sales, caller } = scene
  assert.equal(await transfer(scene, ada.number), 'loop')
  assert.equal(await transfer(scene, sales.id), 'taken')
  await exchange.seconds(2)
  assert.equal(await assistant.call.transfer(ada.number, {}), 'loop')
  assert.equal(assistant.sessions.length, 2)
  assert.equal(caller.over, undefined)
  caller.hangsUp()
  await exchange.rest()
})

test('takes a caller again whom a person had in between', async (t) => {
  const scene = await talking(t)
  const { exchange, assistant, ada, sales, caller, reception } = scene
  await transfer(scene, sales.id)
  await exchange.seconds(2)
  const session = assistant.sessions.at(-1)
  session?.call.beforeTransfer(() => ({ ...known, flow_id: sales.id, session_id: session.call.sessionId }))
  const toPerson = session?.call.transfer(ada.line, {})
  await exchange.rest()
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  assert.equal(await toPerson, 'taken')
  session?.leave()
  await exchange.seconds(5)
  const asked = phone.asksTransfer({ dialled: ada.number })
  await exchange.seconds(2)
  assert.deepEqual(asked.told, ['trying', 'done'])
  const { call, flow } = assistant.sessions.at(-1) ?? assert.fail()
  assert.deepEqual([flow.id, call.sessionId, call.transferredFrom], [reception, `${call.callId}.3`, undefined])
  caller.hangsUp()
  await exchange.rest()
})

test('takes nothing along to an assistant of another account', async (t) => {
  const scene = await talking(t, ({ number }) => ({ transferTargets: [number, '+49*'] }))
  const { exchange, assistant, ada, caller } = scene
  const bob = await exchange.newCustomer()
  await addFlow(exchange, bob)
  assert.equal(await transfer(scene, bob.number), 'taken')
  await exchange.seconds(2)
  const { call } = assistant
  assert.equal(call.accountId, bob.accountId)
  assert.deepEqual([call.variables ?? {}, call.transferredFrom, call.from], [{}, undefined, ada.number])
  caller.hangsUp()
  await exchange.rest()
})
