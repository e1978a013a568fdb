import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { settleCall } from '#core/money/reservations.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { topUp } from '#core/money/funds.ts'
import type { CallOrder, Orders } from '#core/kernel/ports/calls.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'

const callee = '4921163554444'
const own = '493023125000'

/** An account with outbound assistant calls, with a flow that has a number and one without. */
const prepare = async (world: World, amount = 100_000): Promise<Person & { device: string; flow: string; silent: string }> => {
  const person = await world.newAccount()
  const { accountId, userId } = person
  return world.write(async (tables) => {
    const tariffId = await openTariff(tables, world.clock, { currency: 'EUR' })
    await tables.accounts.update(accountId, { tariffId })
    await tables.accounts.reviewOutbound(accountId, { enabled: true, reviewer: 'Rita', reason: 'known', at: 1 })
    await topUp(tables, world.clock, { accountId, amount, reason: 'cash', idempotencyKey: 'first', actor: 'test' })
    await tables.numbers.insert(accountId, { id: randomUUID(), e164: `+${own}`, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0 })
    const device = await tables.devices.insert(accountId, { owner: userId, alias: 'Desk', type: 'REGISTER', at: 0 })
    const [flow, silent] = [randomUUID(), randomUUID()]
    await tables.flows.insert(accountId, { id: flow, name: 'Shop', settings: { phoneNumber: own } }, 0)
    await tables.flows.insert(accountId, { id: silent, name: 'Mute', settings: {} }, 0)
    return { ...person, device, flow, silent }
  })
}

const acceptEverything = (world: World): CallOrder[] => {
  const orders: CallOrder[] = []
  const taking: Pick<Orders, 'startCall'> = { startCall: async (order) => void orders.push(order) }
  world.running.deps.orders = { ...world.running.deps.orders, ...taking }
  return orders
}

for (const database of databases) {
  test(`${database}: originates a flow's call only when all permissions allow it`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await prepare(world)
    const input = { billingDevice: ada.device, toPhoneNumber: callee }
    const call = (change: Partial<typeof input> = {}, aiFlowId = ada.flow) =>
      ada.api.callFlow({ aiFlowId }, { ...input, ...change }).then(
        () => 'accepted',
        (error: { status: number; body: { code: string } }) => `${error.status} ${error.body.code}`,
      )
    assert.equal(await call(), '503 line_unavailable')
    assert.deepEqual((await world.running.deps.store.read.balances.find(ada.accountId))?.reserved, 0)
    const orders = acceptEverything(world)
    await world.clock.advance(1000)
    assert.equal(await call({ toPhoneNumber: `+${callee}` }), 'accepted')
    const expected = { caller: { kind: 'flow', id: ada.flow }, callee: { kind: 'number', e164: `+${callee}` }, callerId: `+${own}` }
    assert.deepEqual(Object.fromEntries(Object.entries(orders[0]!).filter(([key]) => key in expected)), expected)
    await world.clock.advance(1000)
    for (const toPhoneNumber of ['', 'x', '112', '++4921163554444', '004921163554444', '49', '4921', '49211635544449999', '٤٩٢١١٦٣٥٥٤٤٤٤'])
      assert.match(await call({ toPhoneNumber }), /^400 parameter_invalid/, toPhoneNumber)
    assert.equal(await call({ billingDevice: 'e99' }), '400 parameter_invalid')
    assert.equal(await call({ billingDevice: 'p0' }), '400 parameter_invalid')
    assert.equal(await call({}, randomUUID()), '404 flow_not_found')
    assert.equal(await call({}, ada.silent), '400 flow_without_number')
    assert.equal(await call({ toPhoneNumber: '499001234567' }), '403 destination_blocked')
    assert.equal(await call({ toPhoneNumber: '88213300000' }), '403 destination_blocked')
    const eve = await world.newAccount()
    await assert.rejects(eve.api.callFlow({ aiFlowId: ada.flow }, input), { status: 403 }, 'nobody reviewed eve')
    await world.write((tables) => tables.accounts.reviewOutbound(eve.accountId, { enabled: true, reviewer: 'Rita', reason: '', at: 2 }))
    await assert.rejects(eve.api.callFlow({ aiFlowId: ada.flow }, input), { status: 404 })
    await world.write((tables) =>
      tables.accounts.reviewOutbound(ada.accountId, { enabled: false, reviewer: 'Rita', reason: 'spam', at: 3 }),
    )
    assert.equal(await call(), '403 outbound_not_enabled')
    assert.equal(orders.length, 1)
  })

  test(`${database}: rejects a lost caller ID and an empty balance`, async (t) => {
    const world = await startWorld(t, { database })
    const orders = acceptEverything(world)
    const ada = await prepare(world, 189)
    const call = () => ada.api.callFlow({ aiFlowId: ada.flow }, { billingDevice: ada.device, toPhoneNumber: callee })
    await assert.rejects(call(), { status: 402 })
    await world.write(async (tables) => {
      const number = await tables.numbers.findByE164(ada.accountId, `+${own}`)
      await tables.numbers.setState(ada.accountId, number!.id, 'DEACTIVATED')
    })
    await assert.rejects(call(), { status: 403 })
    assert.equal(orders.length, 0)
  })

  test(`${database}: limits an account to one call per second and ten concurrent calls`, async (t) => {
    const world = await startWorld(t, { database })
    const orders = acceptEverything(world)
    const ada = await prepare(world)
    const call = (options = {}) => ada.api.callFlow({ aiFlowId: ada.flow }, { billingDevice: ada.device, toPhoneNumber: callee }, options)
    const burst = await Promise.allSettled(Array.from({ length: 20 }, () => call()))
    assert.equal(burst.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const outcome of burst) if (outcome.status === 'rejected') assert.equal(outcome.reason.status, 429)
    const limited = await fetch(`${world.url}/v3/ai-flows/${ada.flow}/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ billingDevice: ada.device, toPhoneNumber: callee }),
    })
    assert.equal(limited.status, 429)
    assert.equal(limited.headers.get('retry-after'), '1')
    await world.clock.advance(999)
    await assert.rejects(call(), { status: 429 })
    for (let started = 1; started < 10; started++) {
      await world.clock.advance(1000)
      await call({ idempotencyKey: `call ${started}` })
    }
    await world.clock.advance(1000)
    await assert.rejects(call(), { status: 429 }, 'ten are running')
    await call({ idempotencyKey: 'call 3' })
    assert.equal(orders.length, 10)
    const { accountId } = ada
    await world.write((tables) => settleCall(tables, world.clock, { accountId, sessionId: orders[0]!.sessionId, seconds: [5] }))
    for (const idempotencyKey of ['the eleventh', 'the eleventh']) {
      const accepted = await fetch(`${world.url}/v3/ai-flows/${ada.flow}/call`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ billingDevice: ada.device, toPhoneNumber: callee }),
      })
      const { sessionId } = (await accepted.json()) as { sessionId: string }
      assert.deepEqual(
        [accepted.status, accepted.headers.get('location'), sessionId],
        [201, `/v2/calls/${sessionId}`, orders[10]?.sessionId],
      )
    }
    assert.equal(orders.length, 11)
  })
}
