import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@offhook/sdk'
import { aDelivery } from '#test/store/a-delivery.ts'
import { startCustomer, until } from '#test/http/customer-endpoint.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { queueSessionEnd } from '#core/assistant/delivery/events/deliver-session-end.ts'
import type { Delivery } from '#core/kernel/ports/store/session.ts'

/** An error with this code. */
const problem = (code: string) => (error: unknown) => error instanceof ApiError && error.body.code === code

const row = (accountId: string, flowId: string, id: string, more: Partial<Delivery> = {}): Delivery =>
  aDelivery(id, { accountId, flowId, sessionId: 's1', ...more })

/** A flow with a finished session and its deliveries. */
const withDeliveries = async (world: World, { accountId, api }: Person, webhookUrl?: string) => {
  const { id: flowId } = await api.createFlow({}, { name: 'Bot', ...(webhookUrl !== undefined && { webhookUrl }) })
  const session = { id: 's1', account_id: accountId, phone_number: '4921100000' }
  await world.write(async ({ sessions, deliveries }) => {
    await sessions.open({ id: 's1', accountId, flowId, session, startedAt: 1, owner: 'gone' })
    await sessions.close('s1', 'gone', { reason: 'caller_hangup', at: 2, sequence: 4, turn: 2 })
    await deliveries.insert([
      row(accountId, flowId, '01', { eventType: 'user_speak', actions: ['speak'], problems: [{ index: 1, type: 'x', message: 'no' }] }),
      row(accountId, flowId, '02', { state: 'failed', status: undefined, error: 'No connection' }),
      row(accountId, flowId, '03'),
      row(accountId, flowId, '04', { state: 'dead', sessionId: 's2', status: 500 }),
    ])
  })
  return { flowId, session }
}

for (const database of databases) {
  test(`${database}: lists the delivery log of a flow by page, session and state`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { flowId: aiFlowId } = await withDeliveries(world, ada)
    const ids = async (query: Parameters<typeof ada.api.listDeliveries>[0]) =>
      (await ada.api.listDeliveries(query)).items.map(({ id }) => id)
    assert.deepEqual(await ids({ aiFlowId }), ['04', '03', '02', '01'])
    assert.deepEqual(await ids({ aiFlowId, limit: 2 }), ['04', '03'])
    assert.deepEqual(await ids({ aiFlowId, limit: 2, before: '03' }), ['02', '01'])
    assert.deepEqual(await ids({ aiFlowId, sessionId: 's2' }), ['04'])
    assert.deepEqual(await ids({ aiFlowId, state: 'dead' }), ['04'])
    assert.deepEqual(await ada.api.getDelivery({ aiFlowId, deliveryId: '01' }), {
      id: '01',
      sessionId: 's1',
      eventId: 'event-01',
      eventType: 'user_speak',
      sequence: 4,
      turn: 2,
      attempt: 1,
      channel: 'webhook',
      at: '2023-11-14T22:13:20.000Z',
      durationMs: 12,
      state: 'delivered',
      status: 200,
      requestBytes: 100,
      replyBytes: 0,
      actions: ['speak'],
      problems: [{ index: 1, type: 'x', message: 'no' }],
    })
    const { error, status } = await ada.api.getDelivery({ aiFlowId, deliveryId: '02' })
    assert.deepEqual([error, status], ['No connection', undefined])
    for (const limit of [0, 101]) await assert.rejects(ada.api.listDeliveries({ aiFlowId, limit }), problem('parameter_invalid'))
    await assert.rejects(ada.api.getDelivery({ aiFlowId, deliveryId: '09' }), problem('delivery_not_found'))
    await assert.rejects(ada.api.listDeliveries({ aiFlowId: 'another' }), problem('flow_not_found'))
    const { id: other } = await ada.api.createFlow({}, { name: 'Other' })
    await assert.rejects(ada.api.getDelivery({ aiFlowId: other, deliveryId: '01' }), problem('delivery_not_found'))
  })

  test(`${database}: redelivers session_end to the flow's current endpoint`, async (t) => {
    const customer = await startCustomer(t)
    const world = await startWorld(t, { database, settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' } })
    const ada = await world.newAccount()
    const { accountId } = ada
    const { flowId: aiFlowId, session } = await withDeliveries(world, ada, `http://${customer.address}/`)
    await ada.api.redeliver({ aiFlowId, deliveryId: '03' })
    await world.running.idle()
    const [received] = customer.received
    assert.equal(received?.body, JSON.stringify({ type: 'session_end', session, reason: 'caller_hangup' }))
    const { 'webhook-id': id, 'x-offhook-sequence': sequence, 'x-offhook-turn': turn } = received.headers
    assert.deepEqual([id, sequence, turn], ['event-03', '4', '2'])
    const [latest] = (await ada.api.listDeliveries({ aiFlowId, sessionId: 's1' })).items
    assert.deepEqual([latest?.eventId, latest?.state, latest?.attempt], ['event-03', 'delivered', 1])
    for (const deliveryId of ['01', '02', '04']) await assert.rejects(ada.api.redeliver({ aiFlowId, deliveryId }), problem('conflict'))
    await assert.rejects(ada.api.redeliver({ aiFlowId, deliveryId: '09' }), problem('delivery_not_found'))
    const plain = await world.newUser(accountId)
    await assert.rejects(plain.api.redeliver({ aiFlowId, deliveryId: '03' }), problem('forbidden'))
    await plain.api.listDeliveries({ aiFlowId })
    await world.running.idle()
    assert.equal(customer.received.length, 1)
  })
}

test('retries session_end ten times in three days, then marks it dead; a dead one can be redelivered', async (t) => {
  let status = 500
  const customer = await startCustomer(t, (_, response) => response.writeHead(status).end())
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' } })
  const ada = await world.newAccount()
  const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Bot', webhookUrl: `http://${customer.address}/` })
  const session = { id: 's2', account_id: ada.accountId, phone_number: '4921100000' }
  const body = { type: 'session_end', session, reason: 'failed' } as const
  const event = { id: 'the-end', sessionId: 's2', accountId: ada.accountId, sequence: 2, turn: 0, body }
  await world.write((tables) => queueSessionEnd(tables, { flowId: aiFlowId, event }, world.clock.now()))
  world.running.deps.wake()
  for (let tries = 1; tries <= 10; tries++) {
    await world.running.idle()
    assert.equal(customer.received.length, tries)
    await world.clock.jump(29 * 60 * 60 * 1000)
  }
  assert.equal(customer.received.length, 10)
  assert.equal(new Set(customer.received.map(({ body: text, headers }) => `${text} ${String(headers['webhook-id'])}`)).size, 1)
  const { items } = await ada.api.listDeliveries({ aiFlowId })
  assert.deepEqual(items.map(({ attempt, state }) => [attempt, state]).toReversed(), [
    ...Array.from({ length: 9 }, (_, at) => [at + 1, 'failed']),
    [10, 'dead'],
  ])
  const [dead] = (await ada.api.listDeliveries({ aiFlowId, state: 'dead' })).items
  await ada.api.redeliver({ aiFlowId, deliveryId: dead!.id })
  await world.running.idle()
  await assert.rejects(ada.api.redeliver({ aiFlowId, deliveryId: dead!.id }), problem('conflict'))
  status = 200
  await world.clock.jump(60_000)
  await world.running.idle()
  assert.equal(customer.received.length, 12)
  assert.equal((await ada.api.listDeliveries({ aiFlowId })).items[0]?.state, 'delivered')
  await ada.api.deleteFlow({ aiFlowId })
  await world.write((tables) => queueSessionEnd(tables, { flowId: aiFlowId, event: { ...event, id: 'too-late' } }, world.clock.now()))
  world.running.deps.wake()
  await world.running.idle()
  assert.deepEqual(
    (await world.running.deps.store.read.outbox.listDead(9)).map(({ lastError }) => lastError),
    ['the flow is not there any more'],
  )
})

test("does not delay another customer's session_end behind hundreds of sessions with a hanging endpoint", async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const hanging = await startCustomer(t, async (_, response) => {
    await released
    response.end()
  })
  const quick = await startCustomer(t)
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' } })
  const newFlow = async (address: string) => {
    const { accountId, api } = await world.newAccount()
    const { id: flowId } = await api.createFlow({}, { name: 'Bot', webhookUrl: `http://${address}/` })
    return { accountId, flowId }
  }
  const put = async ({ accountId, flowId }: Awaited<ReturnType<typeof newFlow>>, count: number) => {
    for (let at = 0; at < count; at++) {
      const session = { id: `${flowId}-${at}`, account_id: accountId, phone_number: '4921100000' }
      const body = { type: 'session_end', session, reason: 'failed' } as const
      const event = { id: `end-${session.id}`, sessionId: session.id, accountId, sequence: 2, turn: 0, body }
      await world.write((tables) => queueSessionEnd(tables, { flowId, event }, world.clock.now()))
    }
  }
  const [hangs, answers] = [await newFlow(hanging.address), await newFlow(quick.address)]
  await put(hangs, 300)
  await put(answers, 1)
  world.running.deps.wake()
  await until(() => quick.received.length === 1 && hanging.received.length >= 32)
  assert.equal(hanging.received.length, 32, 'more than its share')
  release()
  await world.clock.jump(7_000)
  await world.running.idle()
  assert.ok(hanging.received.length > 96, 'what had to wait comes again')
})
