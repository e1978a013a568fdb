import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { standardTariffId } from '#core/money/open-tariff.ts'

/** Number sent to the trunk and the cost of a minute, or the rejection cause. */
const call = async (exchange: Exchange, customer: Customer, dialled: string): Promise<[number: string, spent: number] | string> => {
  const before = (await exchange.money(customer)).spent
  const caller = await exchange.callFrom(customer, dialled)
  const [leg] = exchange.ringing
  if (!leg) return caller.log.at(-1) ?? ''
  const { target } = leg
  leg.answers()
  await exchange.seconds(30)
  caller.hangsUp()
  await exchange.rest()
  if (target?.kind !== 'trunk') return 'a phone'
  assert.equal(target.emergency, false)
  return [target.number, (await exchange.money(customer)).spent - before]
}

const setRate = ({ store }: Exchange, prefix: string, price: { ratePerMinute?: number; blocked?: boolean } = {}) =>
  store.write((tables) =>
    tables.tariffs.insertRate(standardTariffId, {
      service: 'CALL',
      prefix,
      connectFee: 0,
      ratePerMinute: 0,
      minSeconds: 60,
      incrementSeconds: 60,
      perUnit: 0,
      blocked: false,
      validFrom: 0,
      validUntil: undefined,
      ...price,
    }),
  )

for (const database of databases) {
  test(`${database}: connects free short numbers without funds and tariff`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const numbers = { DE: ['116117', '116116', '116000', '116 117'], US: ['988'], GB: ['116123', '105'], CZ: ['116117'] }
    for (const [country, dialled] of Object.entries(numbers)) {
      const customer = await exchange.newCustomer({ money: 0, tariff: false, country })
      for (const number of dialled)
        assert.deepEqual(await call(exchange, customer, number), [number.replace(' ', ''), 0], `${country} ${number}`)
      const [entry] = await exchange.history(customer)
      assert.deepEqual([entry?.direction, entry?.target], ['OUTGOING', dialled.at(-1)?.replace(' ', '')])
    }
  })

  test(`${database}: connects other short numbers only at their own rates`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const priced: [country: string, prefix: string, numbers: string[]][] = [
      ['DE', 'DE:115', ['115']],
      ['DE', 'DE:118', ['11833', '118000']],
      ['DE', 'DE:19222', ['19222']],
      ['US', 'US:411', ['411']],
      ['GB', 'GB:1', ['111', '101', '123']],
    ]
    for (const [country, prefix, numbers] of priced) {
      const customer = await exchange.newCustomer({ country })
      for (const number of numbers)
        assert.equal(await call(exchange, customer, number), 'hangUp forbidden', `${country} ${number} has no price yet`)
      await setRate(exchange, prefix, { ratePerMinute: 500 })
      for (const number of numbers) assert.deepEqual(await call(exchange, customer, number), [number, 500], `${country} ${number}`)
    }
    assert.equal(exchange.telephony.called.length, 8)
  })

  test(`${database}: sends unlisted short numbers to a trunk when the operator allows it`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const open = (...opened: string[]) => exchange.store.write((tables) => tables.limits.set(ada.accountId, { opened }))
    assert.equal(await call(exchange, ada, '33345'), 'hangUp not_found')
    await setRate(exchange, 'DE:3', { ratePerMinute: 700 })
    assert.equal(await call(exchange, ada, '33345'), 'hangUp not_found', 'a price alone opens nothing')
    await open('DE:34', 'US:')
    assert.equal(await call(exchange, ada, '33345'), 'hangUp not_found')
    await open('DE:33')
    assert.deepEqual(await call(exchange, ada, '33345'), ['33345', 700])
    assert.equal(await call(exchange, ada, '3'), 'hangUp not_found')
    await open('DE:')
    assert.equal(await call(exchange, ada, '22345'), 'hangUp forbidden', 'opening it gives it no price')
    await open()
    await exchange.store.write((tables) => tables.limits.setOfInstallation({ opened: ['DE:3'] }))
    assert.deepEqual(await call(exchange, ada, '33345'), ['33345', 700], 'for all accounts')
  })
}

test('applies the rate of a country only to short numbers of ordinary cost', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const chinese = await exchange.newCustomer({ country: 'CN' })
  const german = await exchange.newCustomer()
  await setRate(exchange, 'CN:', { ratePerMinute: 300 })
  await setRate(exchange, 'DE:', { ratePerMinute: 300 })
  assert.deepEqual(await call(exchange, chinese, '95588'), ['95588', 300])
  for (const number of ['115', '11833']) assert.equal(await call(exchange, german, number), 'hangUp forbidden', number)
  assert.deepEqual(await call(exchange, german, '116117'), ['116117', 0], 'toll-free in spite of it')
  await setRate(exchange, 'DE:116', { blocked: true })
  assert.equal(await call(exchange, german, '116117'), 'hangUp forbidden', 'the operator has the last word')
})

test('prefers quick dials and complete numbers to short numbers, and short numbers to local ones', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const british = await exchange.newCustomer({ country: 'GB' })
  await setRate(exchange, 'DE:115')
  const { accountId, line } = british
  await exchange.store.write(async (tables) => {
    const quickDial = { id: randomUUID(), short: '101', type: 'QUICKDIAL', state: 'ACTIVE', endpointId: line, createdAt: 0 } as const
    await tables.numbers.insert(accountId, quickDial)
    await exchange.addDevice(tables, accountId, british.userId)
  })
  assert.equal(await call(exchange, british, '101'), 'a phone')

  const german = await exchange.newCustomer()
  await exchange.store.write((tables) =>
    tables.devices.update(german.accountId, german.deviceId, { localPrefix: '0211', localPrefixActive: true }),
  )
  assert.deepEqual(await call(exchange, german, '116117'), ['116117', 0])
  assert.deepEqual(await call(exchange, german, '115'), ['115', 0])
  assert.deepEqual(await call(exchange, german, '19222'), ['+4921119222', 190], 'there is one in every town')
  assert.deepEqual(await call(exchange, german, '63554444'), ['+4921163554444', 190])
})
