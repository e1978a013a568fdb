import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { topUp } from './funds.ts'
import { openTariff } from './open-tariff.ts'
import { extendCall, reserveCall } from './reservations.ts'

const minute = 60_000

for (const database of databases) {
  test(`${database}: releases a reservation after a crash, but not before it expires`, async (t) => {
    const world = await startWorld(t, { database })
    const { accountId } = await world.newAccount()
    const reserved = async () => (await world.running.deps.store.read.balances.find(accountId))?.reserved
    const [lost, alive] = [randomUUID(), randomUUID()]
    await world.write(async (tables) => {
      const tariffId = await openTariff(tables, world.clock, { currency: 'EUR' })
      await topUp(tables, world.clock, { accountId, amount: 10_000, reason: 'cash', idempotencyKey: '1', actor: 'test' })
      const call = { payer: { id: accountId, tariffId, country: 'DE' }, purpose: 'CALL', destinations: ['+4921163554444'] } as const
      for (const sessionId of [lost, alive]) await reserveCall(tables, world.clock, { ...call, sessionId })
    })
    world.running.deps.wake()
    await world.clock.advance(4 * minute)
    await world.write((tables) => extendCall(tables, world.clock, { accountId, sessionId: alive, seconds: 120 }))
    assert.equal(await reserved(), 3 * 190)
    await world.clock.advance(minute)
    assert.equal(await reserved(), 2 * 190, 'only the session that was not heard of is released')
    await world.clock.advance(4 * minute)
    assert.equal(await reserved(), 0)
    assert.equal((await world.running.deps.store.read.balances.find(accountId))?.amount, 10_000)
  })

  test(`${database}: removes stored answers after a day`, async (t) => {
    const world = await startWorld(t, { database })
    const { accountId } = await world.newAccount()
    const { idempotency } = world.running.deps.store.read
    const request = { operation: 'x', bodyHash: '', effectId: 'e', at: world.clock.now() }
    await world.write((tables) => tables.idempotency.begin(accountId, 'old', request))
    await world.clock.jump(24 * 60 * minute)
    await world.write((tables) => tables.idempotency.begin(accountId, 'new', { ...request, at: world.clock.now() }))
    assert.ok(await idempotency.find(accountId, 'old'))
    await world.clock.jump(24 * 60 * minute)
    assert.equal(await idempotency.find(accountId, 'old'), undefined)
    assert.ok(await idempotency.find(accountId, 'new'))
  })
}
