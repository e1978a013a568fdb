import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openShop } from '#test/money/scripted-shop.ts'
import { databases, openTestStore } from '#test/store/databases.ts'
import { startWorld } from '#test/world/world.ts'
import { localDay } from '#core/kernel/local-day.ts'
import { usageOf } from './usage.ts'

const landline = '+4921163554444'
const mobile = '+4915112345678'
const paris = '+33142685300'
const hour = 3_600_000

const spending = fc.record({
  what: fc.constantFrom('call', 'sms', 'fax', 'sim'),
  to: fc.constantFrom(landline, mobile, paris),
  amount: fc.integer({ min: 1, max: 400 }),
  userId: fc.constantFrom('w0', 'w1', undefined),
  hoursLater: fc.integer({ min: 0, max: 30 }),
})

for (const database of databases) {
  test(`${database}: matches the ledger by every key for any spending`, async (t) => {
    const store = await openTestStore(t, database)
    const clock = new VirtualClock()
    const shop = await openShop(store, clock)
    await shop.pay(10_000_000)
    const from = localDay(clock.now(), 'UTC')
    for (const { what, to, amount, userId, hoursLater } of fc.sample(spending, 20)) {
      await clock.advance(hoursLater * hour)
      const by = { userId, number: landline }
      if (what === 'call') await shop.call(to, amount, by)
      else if (what === 'sms') await shop.sms(to, (amount % 5) + 1, by)
      else if (what === 'fax') await shop.fax(to, (amount % 3) + 1)
      else await shop.sim()
    }
    const entries = await store.read.balances.listEntries(shop.accountId, { limit: 1000 })
    const spent = -entries.filter(({ amount }) => amount < 0).reduce((sum, { amount }) => sum + amount, 0)
    assert.ok(spent > 0)
    for (const by of ['day', 'type', 'number', 'user', 'country'] as const) {
      const { items, total } = await usageOf(store.read, shop.accountId, { by, from, now: clock.now() })
      const sum = items.reduce((all, { amount }) => all + amount, 0)
      assert.deepEqual([sum, total.amount], [spent, spent], by)
    }
  })
}

test('names users, countries and numbers of usage, and marks older entries as unknown', async (t) => {
  const world = await startWorld(t)
  const { api, userId, accountId } = await world.newAccount()
  const shop = await openShop(world.running.deps.store, world.clock, accountId)
  await shop.pay(10_000_000)
  await shop.call(landline, 61, { userId, number: '+493023125000' })
  await shop.call(paris, 30)
  await shop.sms(mobile, 2, { userId, number: mobile })
  const usage = async (by: 'type' | 'number' | 'user' | 'country' | 'day') => (await api.readUsage({ by })).items
  const amounts = async (by: 'type' | 'number' | 'user' | 'country') => (await usage(by)).map(({ key, amount }) => [key, amount])
  assert.deepEqual(await amounts('type'), [
    ['SMS', 1_580],
    ['CALL', 1_390],
  ])
  const [, calls] = await usage('type')
  assert.deepEqual([calls?.calls, calls?.minutes, calls?.messages], [2, 1.5, 0])
  assert.deepEqual(await amounts('user'), [
    [userId, 1_770],
    ['unknown', 1_200],
  ])
  assert.match((await usage('user'))[0]?.name ?? '', /^Ada /)
  assert.deepEqual(await amounts('country'), [
    ['DE', 1_770],
    ['FR', 1_200],
  ])
  assert.deepEqual(
    (await amounts('number')).map(([key]) => key),
    [mobile, 'unknown', '+493023125000'],
  )
  assert.equal((await usage('day')).length, 1)
  await assert.rejects(api.readUsage({ by: 'day', from: '2026-02-30' }), { status: 400 })
  await assert.rejects(api.readUsage({ by: 'day', from: '2020-01-01', to: '2026-01-01' }), { status: 400 })

  const price = async (to: string, service: 'CALL' | 'SMS' | 'FAX' = 'CALL') => {
    const { kind, perMinute, firstSeconds, perUnit } = await api.readPrice({ to, service })
    return [kind, perMinute, firstSeconds, perUnit]
  }
  assert.deepEqual(await price('0211 63554444'), ['PAID', 190, 60, 0])
  assert.deepEqual(await price('0151 12345678', 'SMS'), ['PAID', 0, 60, 790])
  assert.deepEqual(await price('0800 1234567'), ['FREE', 0, 60, 0])
  assert.deepEqual(await price('112'), ['EMERGENCY', 0, 0, 0])
  assert.deepEqual(await price('116117'), ['FREE', 0, 60, 0])
  assert.deepEqual(await price('115'), ['BLOCKED', 0, 0, 0])
  assert.deepEqual(await price('116117', 'SMS'), ['BLOCKED', 0, 0, 0])
  const { to, country } = await api.readPrice({ to: '11833' })
  assert.deepEqual([to, country], ['11833', 'DE'])
  await assert.rejects(price('33345'), { status: 400 }, 'not known to be in service')
  assert.deepEqual(await price('+5353123456'), ['CLOSED', 0, 0, 0])
  assert.deepEqual(await price('0900 1234567'), ['BLOCKED', 0, 0, 0])
  await assert.rejects(price('hello'), { status: 400 })
})
