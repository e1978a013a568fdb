import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

const hour = 60 * 60 * 1000

for (const database of databases) {
  test(`${database}: applies a tariff and its rates over time`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const { store } = world.running.deps
    const tariff = await operator.createTariff({}, { id: 'team', name: 'Team', currency: 'EUR' })
    assert.deepEqual(await operator.readTariff({ tariffId: 'team' }), tariff)
    assert.deepEqual((await operator.listTariffs()).items, [tariff])
    await assert.rejects(operator.createTariff({}, { id: 'team', name: 'Again', currency: 'EUR' }), { status: 409 })
    await assert.rejects(operator.createTariff({}, { id: 'No Way', name: 'x', currency: 'EUR' }), { status: 400 })

    const at = { tariffId: 'team' }
    const now = world.clock.now()
    const iso = (hours: number): string => new Date(now + hours * hour).toISOString()
    const price = async (hours: number) =>
      (await store.read.tariffs.findRate('team', 'CALL', ['49', '4', ''], now + hours * hour))?.ratePerMinute
    const prices = () => Promise.all([0, 1, 2, 3, 4, 5].map(price))
    const usual = await operator.setRate(at, { service: 'CALL', prefix: '49', ratePerMinute: 100, minSeconds: 60 })
    assert.equal(usual.incrementSeconds, 60)
    assert.equal(usual.validFrom, iso(0))
    assert.deepEqual(await prices(), [100, 100, 100, 100, 100, 100])
    const action = await operator.setRate(at, { service: 'CALL', prefix: '49', ratePerMinute: 50, validFrom: iso(1), validUntil: iso(3) })
    assert.deepEqual(await prices(), [100, 50, 50, 100, 100, 100], 'an offer, and afterwards the usual price')
    await operator.setRate(at, { service: 'CALL', prefix: '49', ratePerMinute: 120, validFrom: iso(2) })
    assert.deepEqual(await prices(), [100, 50, 120, 120, 120, 120])
    const hidden = await operator.setRate(at, { service: 'CALL', prefix: '49', ratePerMinute: 1, validFrom: iso(4), validUntil: iso(5) })
    await operator.closeRate({ ...at, rateId: String(hidden.id) })
    assert.deepEqual(await prices(), [100, 50, 120, 120, undefined, 120], 'what is called off leaves its time without a price')
    await world.clock.jump(2 * hour)
    const valid = (await operator.listRates(at)).items
    assert.deepEqual(
      valid.map(({ ratePerMinute }) => ratePerMinute),
      [120, 120],
    )
    const all = (await operator.listRates({ ...at, past: true })).items
    assert.ok(all.some(({ id }) => id === action.id) && all.some(({ id }) => id === usual.id), 'the past stays')
    assert.equal((await operator.listRates({ ...at, past: true, limit: 1, after: action.id - 1 })).items[0]?.id, action.id)
    assert.deepEqual((await operator.listRates({ ...at, service: 'SMS' })).items, [])
    for (const { id } of valid) await operator.closeRate({ ...at, rateId: String(id) })
    assert.deepEqual((await operator.listRates(at)).items, [])
    await operator.closeRate({ ...at, rateId: String(usual.id) })

    const short = await operator.setRate(at, { service: 'CALL', prefix: 'DE:115', ratePerMinute: 200 })
    assert.equal(short.prefix, 'DE:115')
    const rate = { service: 'SMS' as const, prefix: '' }
    await operator.setRate(at, { ...rate, perUnit: 1 })
    await Promise.all([2, 3, 4, 5, 6].map((perUnit) => operator.setRate(at, { ...rate, perUnit })))
    assert.equal((await operator.listRates({ ...at, service: 'SMS' })).items.length, 1, 'of those who price it at once one remains')
    for (const wrong of [
      { validFrom: iso(-5) },
      { validFrom: '2030-01-01' },
      { validFrom: iso(9), validUntil: iso(9) },
      { prefix: '+49' },
      { perUnit: -1 },
      { prefix: 'DE:115' },
      { service: 'CALL' as const, prefix: 'ZZ:115' },
      { service: 'CALL' as const, prefix: 'de:115' },
    ])
      await assert.rejects(operator.setRate(at, { ...rate, ...wrong }), { status: 400 }, JSON.stringify(wrong))
    await assert.rejects(operator.setRate({ tariffId: 'none' }, rate), { status: 404 })
    await assert.rejects(operator.listRates({ tariffId: 'none' }), { status: 404 })
    await assert.rejects(operator.readTariff({ tariffId: 'none' }), { status: 404 })
    for (const rateId of ['0', 'x', '99999999999999999999']) await assert.rejects(operator.closeRate({ ...at, rateId }), { status: 404 })
    const audit = await store.read.audit.list('operator', { afterSeq: 0, limit: 100 })
    const noted = new Set(audit.map((entry) => entry.action).filter((action) => /^(?:tariff|rate)\./.test(action)))
    assert.deepEqual([...noted], ['tariff.create', 'rate.set', 'rate.close'])
  })
}

test('opens unlisted short numbers for an account or for all', async (t) => {
  const world = await startWorld(t)
  const [operator, { accountId }] = [await world.operator(), await world.newAccount()]
  await operator.setInstallationLimits({}, { opened: ['DE:', '8816', 'TN'] })
  assert.deepEqual((await operator.readInstallationLimits()).opened, ['DE:', '8816', 'TN'])
  await operator.setAccountLimits({ accountId }, { opened: ['US:24'] })
  assert.deepEqual((await operator.readAccountLimits({ accountId })).openedDestinations, ['DE:', '8816', 'TN', 'US:24'])
  for (const entry of ['de:', 'DE:+4', 'DEU:1', 'DE:1234567'])
    await assert.rejects(operator.setInstallationLimits({}, { opened: [entry] }), { status: 400 }, entry)
})
