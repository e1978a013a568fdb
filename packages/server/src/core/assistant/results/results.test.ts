import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startCustomer } from '#test/http/customer-endpoint.ts'
import { databases, startWorld, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import { addMessage, endResult, publishResult } from './note-result.ts'

const minute = 60_000
const counted = { durationMs: 61_000, endReason: 'caller_hangup', turns: 3, interruptions: 1, firstSoundMs: 640 } as const

const begin = async (world: World, begun: { accountId: string; flowId: string; webhookUrl?: string; version?: number }) => {
  const callId = randomUUID()
  await world.write((tables) => tables.results.begin({ callId, startedAt: world.clock.now(), ...begun }))
  return callId
}
const end = (world: World, accountId: string, flowId: string, callId: string) =>
  world.write((tables) => endResult(tables, { callId, accountId, flowId, startedAt: 0, counted }, world.clock.now()))

for (const database of databases) {
  test(`${database}: counts, reports, searches and pages results`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, accountId } = await world.newAccount()
    const { id: aiFlowId } = await api.createFlow({}, { name: 'Shop' })
    const notified = { outcome: 'order', summary: 'Wants 100% Kaffee from Köln.', fields: { size: { cups: 12 } }, nextSteps: ['Call back'] }
    const callIds: string[] = []
    for (const version of [1, 2, 2]) {
      const callId = await begin(world, { accountId, flowId: aiFlowId, version })
      callIds.push(callId)
      await world.clock.advance(minute)
    }
    const [first = '', second = '', third = ''] = callIds
    await world.write(async (tables) => {
      assert.ok(await publishResult(tables, first, notified, 0))
      assert.ok(await addMessage(tables, first, { name: 'Ada Lovelace', text: 'Please ring', at: 1_000 }))
      assert.ok(await tables.results.spend(first, { prompt: 100, completion: 7, cost: { micros: 1_500, currency: 'EUR' } }))
      assert.ok(await tables.results.spend(first, { prompt: 1, completion: 1, cost: { micros: 99, currency: 'USD' } }))
      assert.equal(await publishResult(tables, randomUUID(), notified, 0), false)
      assert.equal(await tables.results.spend(randomUUID(), { prompt: 1, completion: 1 }), false)
    })
    await end(world, accountId, aiFlowId, first)
    const { startedAt, ...read } = await api.getResult({ aiFlowId, callId: first })
    assert.match(startedAt, /Z$/)
    assert.deepEqual(read, {
      callId: first,
      flowId: aiFlowId,
      version: 1,
      ...counted,
      messages: [{ name: 'Ada Lovelace', text: 'Please ring', at: '1970-01-01T00:00:01.000Z' }],
      promptTokens: 101,
      completionTokens: 8,
      cost: { amount: 0.0015, currency: 'EUR' },
      ...notified,
      delivery: 'none',
    })
    const list = async (query: object) => (await api.listResults({ aiFlowId, ...query })).items.map(({ callId }) => callId)
    assert.deepEqual(await list({}), [third, second, first])
    assert.deepEqual(await list({ search: 'KÖLN lovelace 12' }), [first])
    for (const search of ['100%', 'call ring']) assert.deepEqual(await list({ search }), [first], search)
    for (const search of ['1000', 'K_ln', 'cups', '%']) assert.deepEqual(await list({ search }), search === '%' ? [first] : [], search)
    assert.deepEqual(await list({ outcome: 'order' }), [first])
    assert.deepEqual(await list({ version: 2 }), [third, second])
    assert.deepEqual(await list({ to: startedAt }), [])
    assert.deepEqual(await list({ from: startedAt, before: third, limit: 1 }), [second])
    assert.equal((await api.listResults({ aiFlowId, limit: 2 })).more, true)
    await assert.rejects(api.listResults({ aiFlowId, from: 'yesterday' }), withCode('parameter_invalid', 'from'))
    await assert.rejects(api.listResults({ aiFlowId, before: 'x' }), withCode('parameter_invalid', 'before'))
    const eve = await world.newAccount()
    await assert.rejects(eve.api.getResult({ aiFlowId, callId: first }), { status: 404 })
    await assert.rejects(api.redeliverResult({ aiFlowId, callId: first }), { status: 409 })
    await api.deleteFlow({ aiFlowId })
    assert.equal(await world.write(({ results }) => results.find(accountId, aiFlowId, first)), undefined)
  })
}

test('sends a signed result when reported or after a minute, and again on request', async (t) => {
  const answers = [500, 204, 204, 204, 410]
  const customer = await startCustomer(t, (_, response) => response.writeHead(answers.shift() ?? 204).end())
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' } })
  const { api, accountId } = await world.newAccount()
  const { id: aiFlowId, secret } = await api.createFlow({}, { name: 'Shop' })
  const begun = { accountId, flowId: aiFlowId, webhookUrl: `http://${customer.address}/results` }
  const delivery = async (callId: string) => (await api.getResult({ aiFlowId, callId })).delivery
  const callId = await begin(world, begun)
  await end(world, accountId, aiFlowId, callId)
  await world.clock.advance(minute / 2)
  assert.equal(customer.received.length, 0)
  await world.write((tables) => publishResult(tables, callId, { outcome: 'done' }, world.clock.now()))
  await world.clock.advance(0)
  assert.equal(await delivery(callId), 'pending')
  await assert.rejects(api.redeliverResult({ aiFlowId, callId }), { status: 409 })
  await world.clock.advance(minute)
  assert.equal(await delivery(callId), 'delivered')
  await api.redeliverResult({ aiFlowId, callId })
  await world.clock.advance(0)
  const [first, second, third] = customer.received
  assert.equal(first?.body, second?.body)
  assert.equal(second?.body, third?.body)
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = third?.headers ?? {}
  assert.equal(id, first?.headers['webhook-id'])
  const seen = new Webhook(secret).sign(String(id), new Date(Number(timestamp) * 1000), third?.body ?? '')
  assert.equal(signature, seen)
  const { type, result } = JSON.parse(first?.body ?? '{}') as { type: string; result: { callId: string; outcome: string } }
  assert.deepEqual([type, result.callId, result.outcome], ['assistant_result', callId, 'done'])

  const unsent = await begin(world, begun)
  await end(world, accountId, aiFlowId, unsent)
  await world.clock.advance(minute)
  assert.equal(await delivery(unsent), 'delivered')
  await world.write((tables) => publishResult(tables, unsent, { summary: 'Late' }, world.clock.now()))
  await world.clock.advance(0)
  assert.equal(await delivery(unsent), 'failed', 'the address is gone')
  assert.notEqual(customer.received[3]?.headers['webhook-id'], customer.received[4]?.headers['webhook-id'])
})

test("redacts results like the flow's other data", async (t) => {
  const world = await startWorld(t)
  const { api, accountId } = await world.newAccount()
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Shop', redact: ['card', 'email'] })
  const callId = await begin(world, { accountId, flowId: aiFlowId })
  const card = '4111 1111 1111 1111'
  await world.write(async (tables) => {
    await publishResult(tables, callId, { summary: `Paid with ${card}.`, fields: { mail: 'ada@example.com', guests: 2 } }, 0)
    await addMessage(tables, callId, { text: `My card is ${card}`, at: 0 })
  })
  const { summary, fields, messages } = await api.getResult({ aiFlowId, callId })
  assert.doesNotMatch(JSON.stringify({ summary, fields, messages }), /4111|ada@/)
  assert.equal(fields?.['guests'], 2)
  for (const search of ['4111', 'ada@example.com']) assert.deepEqual((await api.listResults({ aiFlowId, search })).items, [], search)
})
