import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { CallOrder } from '#core/kernel/ports/calls.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { topUp } from '#core/money/funds.ts'
import { bothDatabases, databases, startWorld, type World } from '#test/world/world.ts'

const own = '493023125000'

/** An account with outbound calls, a flow and its number; orders are accepted and not carried out. */
const prepare = async (world: World, variables = {}) => {
  const person = await world.newAccount()
  const { accountId, userId } = person
  const [aiFlowId, numberId] = [randomUUID(), randomUUID()]
  const billingDevice = await world.write(async (tables) => {
    const tariffId = await openTariff(tables, world.clock, { currency: 'EUR' })
    await tables.accounts.update(accountId, { tariffId })
    await tables.accounts.reviewOutbound(accountId, { enabled: true, reviewer: 'Rita', reason: 'known', at: 1 })
    await topUp(tables, world.clock, { accountId, amount: 100_000, reason: 'cash', idempotencyKey: 'first', actor: 'test' })
    await tables.numbers.insert(accountId, { id: numberId, e164: `+${own}`, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0 })
    await tables.flows.insert(accountId, { id: aiFlowId, name: 'Shop', settings: { phoneNumber: own, variables } }, 0)
    await tables.numbers.setRouting(accountId, numberId, { flowId: aiFlowId })
    return tables.devices.insert(accountId, { owner: userId, alias: 'Desk', type: 'REGISTER', at: 0 })
  })
  const orders: CallOrder[] = []
  world.running.deps.orders = { ...world.running.deps.orders, startCall: async (order) => void orders.push(order) }
  return { ...person, aiFlowId, numberId, billingDevice, orders }
}

const rejected = { status: 400 }

for (const database of databases)
  test(`${database}: orders a call with variables and a correlation id, and names what is wrong`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await prepare(world, { company: 'Bistro' })
    const { aiFlowId, billingDevice } = ada
    const call = async (input: object) => {
      await world.clock.advance(1000)
      return ada.api.callFlow({ aiFlowId }, { billingDevice, toPhoneNumber: '4921163554444', ...input })
    }
    const variables = { first_name: 'Ada', age: 36, vip: true, note: 'a'.repeat(8_000) }
    await call({ variables, correlationId: 'order-17' })
    assert.deepEqual([ada.orders[0]?.variables, ada.orders[0]?.correlationId], [variables, 'order-17'])
    const half = 'ä'.repeat(4_000)
    for (const wrong of [
      { 'first name': 'x' },
      { __proto__2: 'x' },
      { _x: 'x' },
      { a: null },
      { a: [] },
      { a: { b: 1 } },
      { a: 'x'.repeat(8_001) },
      { a: half, b: half, c: 'x'.repeat(400) },
      'x',
      ['x'],
    ])
      await assert.rejects(call({ variables: wrong }), rejected, JSON.stringify(wrong).slice(0, 40))
    await assert.rejects(call({ correlationId: '' }), rejected)
    await assert.rejects(call({ correlationId: 'x'.repeat(201) }), rejected)
    assert.equal(ada.orders.length, 1)
  })

for (const database of bothDatabases) {
  test(`${database}: keeps defaults of flows and numbers`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await prepare(world)
    const { api, aiFlowId, numberId } = ada
    const { id: _id, apiKeySet: _key, speech: _speech, ...flow } = await api.getFlow({ aiFlowId })
    await api.changeFlow({ aiFlowId }, { ...flow, variables: { first_name: '', tone: 'kind' } })
    assert.deepEqual((await api.getFlow({ aiFlowId })).variables, { first_name: '', tone: 'kind' })
    assert.deepEqual(await api.getNumberVariables({ numberId }), { variables: {} })
    await api.setNumberVariables({ numberId }, { variables: { branch: 'Köln' } })
    assert.deepEqual(await api.getNumberVariables({ numberId }), { variables: { branch: 'Köln' } })
    assert.deepEqual((await world.running.deps.store.read.numbers.findCallable(`+${own}`))?.variables, { branch: 'Köln' })
    const eve = await world.newAccount()
    await assert.rejects(eve.api.getNumberVariables({ numberId }), { status: 404 })
    await assert.rejects(eve.api.setNumberVariables({ numberId }, { variables: {} }), { status: 404 })
    await api.setNumberVariables({ numberId }, { variables: {} })
    assert.equal((await world.running.deps.store.read.numbers.findCallable(`+${own}`))?.variables, undefined)
  })

  test(`${database}: finds calls by their correlation id`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await prepare(world)
    const entry = (id: string, correlationId?: string) => ({
      id,
      sessionId: `call-${id}`,
      userId: ada.userId,
      type: 'CALL' as const,
      direction: 'OUTGOING' as const,
      source: `+${own}`,
      target: '+4930',
      sourceAlias: '',
      targetAlias: '',
      status: 'PICKUP' as const,
      connectionIds: [],
      endpoints: [],
      detail: {},
      createdAt: 1,
      modifiedAt: 1,
      read: false,
      archived: false,
      starred: false,
      note: '',
      labels: [],
      correlationId,
    })
    const rows = [entry('a', 'order-17'), entry('b', 'order-18'), entry('c')]
    await world.write(async (tables) => {
      for (const row of rows) await tables.history.insert(ada.accountId, row)
    })
    const found = async (correlationId: string) => {
      const { items } = await ada.api.listHistory({ userId: ada.userId, correlationId })
      return items.map(({ callId, correlationId: named }) => [callId, named])
    }
    assert.deepEqual(await found('order-17'), [['call-a', 'order-17']])
    assert.deepEqual(await found('order-1'), [])
  })
}

test('publishes no assistant with an unknown placeholder, and names it', async (t) => {
  const world = await startWorld(t)
  const { api, aiFlowId, numberId } = await prepare(world, { first_name: '' })
  const settings = {
    greeting: 'Hello {{first_name|there}}.',
    prompt: 'You are in {{branch}}.',
    tools: {
      http: [{ name: 'book', description: 'Books', url: 'https://example.com/', headers: [{ name: 'X-Key', value: '{{secret_id}}' }] }],
    },
  }
  const { warnings } = await api.changeAssistant({ aiFlowId }, { settings })
  assert.deepEqual(
    warnings.flatMap((warning) => /^(.*): \{\{(.*)\}\}/.exec(warning)?.slice(1) ?? []),
    ['prompt', 'branch', 'tools/http/0/headers/0/value', 'secret_id'],
  )
  const publish = () => api.publishAssistant({ aiFlowId }, {})
  const names = (field: string, name: string) => (error: { status: number; body: { message: string } }) =>
    error.status === 400 && error.body.message.includes(field) && error.body.message.includes(`{{${name}}}`)
  await assert.rejects(publish(), names('prompt', 'branch'))
  await api.setNumberVariables({ numberId }, { variables: { branch: 'Berlin' } })
  await assert.rejects(publish(), names('tools/http/0/headers/0/value', 'secret_id'))
  await api.changeAssistant({ aiFlowId }, { settings: { ...settings, tools: {} } })
  assert.equal((await publish()).version, 1)
  await api.changeAssistant({ aiFlowId }, { settings: { ...settings, greeting: '{{first name}}', tools: {} } })
  await assert.rejects(publish(), names('greeting', 'first name'))
})
