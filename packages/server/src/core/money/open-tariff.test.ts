import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openTariff } from './open-tariff.ts'
import { rateFor, rateOf } from './rates.ts'

for (const database of databases) {
  test(`${database}: prices the usual destinations and blocks the dangerous ones in the first tariff`, async (t) => {
    const store = await openTestStore(t, database)
    const clock = new VirtualClock()
    const open = () => store.write((tables) => openTariff(tables, clock, { currency: 'EUR' }))
    const id = await open()
    const rates = await store.read.tariffs.listRates(id, { after: 0, limit: 1000 })
    assert.equal(await open(), id)
    assert.equal((await store.read.tariffs.listRates(id, { after: 0, limit: 1000 })).length, rates.length, 'opening it again adds nothing')

    const payer = { id: '1', tariffId: id, country: 'DE' }
    const held = { at: clock.now(), opened: [] }
    const perMinute = async (service: 'CALL' | 'FAX', e164: string) => (await rateFor(store.read, payer, service, e164, held)).ratePerMinute
    assert.equal(await perMinute('CALL', '+4921163554444'), 190)
    assert.equal(await perMinute('CALL', '+4915112345678'), 990)
    assert.equal(await perMinute('CALL', '+498001234567'), 0)
    assert.equal(await perMinute('CALL', '+33142685300'), 1_200)
    assert.equal(await perMinute('CALL', '+12125550123'), 9_900)
    assert.equal(await perMinute('FAX', '+4921163554444'), 190)
    for (const e164 of ['+499001234567', '+491371234567', '+4911833', '+88213300000', '+979123456789'])
      await assert.rejects(perMinute('CALL', e164), { code: 'destination_blocked' }, e164)
    assert.equal((await rateFor(store.read, payer, 'SMS', '+4915112345678', held)).perUnit, 790)
    assert.equal((await rateOf(store.read, payer, 'SIM', '', held.at))?.perUnit, 49_500)
  })
}
