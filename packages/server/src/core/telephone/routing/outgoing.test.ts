import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { aNumber, openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'

const mobile = '+4915112345678'

const numberOf = ({ target }: ScriptedLeg): string | undefined => (target?.kind === 'trunk' ? target.number : undefined)
const trunkOf = ({ target }: ScriptedLeg): string | undefined => (target?.kind === 'trunk' ? target.trunkId : undefined)
const deviceOf = ({ target }: ScriptedLeg): string | undefined => (target?.kind === 'device' ? target.deviceId : undefined)

const changeDevice = (
  { store }: Exchange,
  { accountId, deviceId }: Customer,
  change: Parameters<Exchange['store']['read']['devices']['update']>[2],
) => store.write((tables) => tables.devices.update(accountId, deviceId, change))

for (const database of databases) {
  test(`${database}: calls an external number through a trunk with the phone's number and charges the talk time`, async (t) => {
    const exchange = await openExchange(t, { database })
    const trunkId = await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const caller = await exchange.callFrom(ada, '0211 63554444')
    const { phone } = exchange
    assert.deepEqual(phone.target, { kind: 'trunk', trunkId, number: outsideNumber, emergency: false })
    assert.deepEqual(phone.dial?.caller, { number: ada.number, name: 'Ada Lovelace', withheld: false })
    assert.equal(phone.dial.near, caller)
    assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 190 })
    phone.rings()
    await exchange.seconds(10)
    phone.answers()
    await exchange.seconds(59.9)
    phone.hangsUp()
    await exchange.rest()
    assert.deepEqual(caller.log, ['ring', 'answer', 'hangUp normal'])
    assert.deepEqual(await exchange.money(ada), { spent: 190, reserved: 0 })
    const entry = await exchange.entry(ada)
    assert.deepEqual([entry.direction, entry.status, entry.detail], ['OUTGOING', 'PICKUP', { duration: 59, callStatus: 'SUCCESS' }])
    assert.deepEqual([entry.source, entry.target, entry.userId], [ada.number, outsideNumber, ada.userId])
    assert.deepEqual(entry.connectionIds, [ada.line, ada.deviceId])
    const [booked] = await exchange.store.read.balances.listEntries(ada.accountId, { limit: 1 })
    assert.equal(booked?.sessionId, entry.sessionId)
  })
}

test('charges no unanswered call and returns the cause to the caller', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const results: unknown[] = []
  const ends: ((leg: ScriptedLeg) => unknown)[] = [
    (leg) => leg.refuses('busy', 486),
    (leg) => leg.refuses('rejected', 603),
    () => exchange.seconds(60),
    (leg) => leg.refuses('not_found', 404),
  ]
  for (const end of ends) {
    const caller = await exchange.callFrom(ada, outsideNumber)
    exchange.phone.rings()
    await end(exchange.phone)
    await exchange.seconds(1)
    results.push([caller.log.at(-1), exchange.lastEnd?.reason])
  }
  assert.deepEqual(results, [
    ['hangUp busy', 'busy'],
    ['hangUp rejected', 'rejected'],
    ['hangUp no_answer', 'no_answer'],
    ['hangUp not_found', 'failed'],
  ])
  const statuses = (await exchange.history(ada)).map(({ direction, status, detail }) => `${direction} ${status} ${detail.callStatus}`)
  assert.deepEqual(statuses.toReversed(), [
    'MISSED_OUTGOING BUSY BUSY',
    'MISSED_OUTGOING NOPICKUP REJECTED',
    'MISSED_OUTGOING NOPICKUP MISSED',
    'MISSED_OUTGOING NOPICKUP FAILURE',
  ])
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
})

test('rejects forbidden, unaffordable and invalid numbers before dialling', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const poor = await exchange.newCustomer({ money: 100 })
  const bare = await exchange.newCustomer({ tariff: false })
  const refusals: [Customer, string, string][] = [
    [ada, '0900 1234567', 'forbidden'],
    [ada, '+979123456789', 'forbidden'],
    [ada, 'nonsense', 'not_found'],
    [ada, 'p99', 'not_found'],
    [ada, 'w0', 'not_found'],
    [ada, `${poor.accountId}${poor.deviceId}`, 'not_found'],
    [poor, outsideNumber, 'payment_required'],
    [bare, outsideNumber, 'forbidden'],
  ]
  for (const [customer, dialled, cause] of refusals)
    assert.deepEqual((await exchange.callFrom(customer, dialled)).log, [`hangUp ${cause}`], dialled)
  assert.deepEqual(exchange.telephony.called, [])
  assert.equal((await exchange.history(ada)).length, 6)
  await exchange.store.write((tables) => tables.devices.remove(ada.accountId, ada.deviceId, exchange.clock.now()))
  assert.deepEqual((await exchange.callFrom(ada, outsideNumber)).log, ['hangUp forbidden'])
})

test('dials quick dials, extensions and SIP names inside the account, but not another account’s quick dial', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const eve = await exchange.newCustomer()
  const { line, device } = await exchange.store.write(async (tables) => {
    const bob = await exchange.addUser(tables, ada.accountId)
    const [own] = await tables.phonelines.list(ada.accountId, bob)
    assert.ok(own)
    const quickDial = { ...aNumber(''), e164: undefined, short: '44', type: 'QUICKDIAL', endpointId: own.id } as const
    const { e164: _none, ...input } = quickDial
    await tables.numbers.insert(ada.accountId, input)
    return { line: own.id, device: await exchange.addDevice(tables, ada.accountId, bob) }
  })
  for (const dialled of ['44', '44*', line, device, `${ada.accountId}${device}`]) {
    const caller = await exchange.callFrom(ada, dialled)
    assert.equal(deviceOf(exchange.phone), device, dialled)
    assert.deepEqual(exchange.phone.dial?.caller, { number: ada.number, name: 'Ada Lovelace', withheld: false })
    caller.hangsUp()
    await exchange.rest()
  }
  assert.deepEqual((await exchange.callFrom(eve, '44')).log, ['hangUp not_found'])
  const entries = await exchange.history(ada)
  assert.equal(entries.length, 5, 'one for each call, although both sides are here')
  assert.ok(entries.every(({ direction }) => direction === 'MISSED_OUTGOING'))
})

test('reaches a number in service here without trunk and charge, and records it in both accounts', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer({ money: 0, tariff: false })
  const bob = await exchange.newCustomer()
  const caller = await exchange.callFrom(ada, bob.number)
  exchange.phone.answers()
  await exchange.seconds(5)
  caller.hangsUp()
  await exchange.rest()
  const [hers, his] = [await exchange.entry(ada), await exchange.entry(bob)]
  assert.deepEqual([hers.direction, hers.status, hers.target], ['OUTGOING', 'PICKUP', bob.number])
  assert.deepEqual([his.direction, his.status, his.source, his.sourceAlias], ['INCOMING', 'PICKUP', ada.number, 'Ada Lovelace'])
})

test('anonymous: sends the number to trunks as withheld, hides it from other accounts, and shows it to colleagues', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  await changeDevice(exchange, ada, { callerId: 'anonymous' })
  await exchange.callFrom(ada, outsideNumber)
  assert.deepEqual(exchange.phone.dial?.caller, { number: ada.number, name: '', withheld: true })
  exchange.phone.refuses('busy', 486)
  const caller = await exchange.callFrom(ada, bob.number)
  assert.deepEqual(exchange.phone.dial?.caller, { number: undefined, name: '', withheld: true })
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(bob)).source, 'anonymous')
  assert.equal((await exchange.history(ada))[0]?.source, ada.number)
  await changeDevice(exchange, ada, { callerId: null })
  await exchange.callFrom(ada, outsideNumber, { caller: { number: '+491111', name: 'Somebody', withheld: true } })
  assert.deepEqual(exchange.phone.dial?.caller, { number: ada.number, name: '', withheld: true }, 'what a phone claims does not count')
})

test('connects emergency calls whatever the settings, funds and trunk states', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer({ money: 0, tariff: false })
  assert.deepEqual((await exchange.callFrom(ada, '112')).log, ['hangUp overloaded'], 'without any trunk it cannot be carried')
  const [good, broken, full] = [
    await exchange.addTrunk({ priority: 9 }),
    await exchange.addTrunk({ priority: 1 }),
    await exchange.addTrunk({ priority: 5 }),
  ]
  exchange.telephony.health.set(broken, { usable: false, calls: 0 })
  await changeDevice(exchange, ada, { callerId: 'anonymous', dnd: true })
  exchange.callRouter.drain()
  const tried: unknown[] = []
  const caller = await exchange.callFrom(ada, '+49 112')
  for (let attempt = 0; attempt < 3; attempt++) {
    const { phone } = exchange
    tried.push(trunkOf(phone))
    assert.deepEqual(phone.target?.kind === 'trunk' && [phone.target.number, phone.target.emergency], ['112', true])
    assert.deepEqual(phone.dial?.caller, { number: ada.number, name: '', withheld: false })
    phone.dies()
    await exchange.rest()
  }
  assert.deepEqual(tried, [full, good, broken])
  assert.deepEqual(caller.log, ['hangUp failed'])
  await exchange.callFrom(ada, '110')
  exchange.phone.answers()
  await exchange.seconds(3600)
  assert.equal(exchange.telephony.alive.length, 1)
  assert.deepEqual(await exchange.money(ada).then(({ reserved }) => reserved), 0)
})

test("adds the device's area code to a number dialled without one", async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  await changeDevice(exchange, ada, { localPrefix: '0211', localPrefixActive: true })
  await exchange.callFrom(ada, '63554444')
  assert.equal(numberOf(exchange.phone), outsideNumber)
})

test('relays the progress of a trunk and still fails over to the next one', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const [first, second] = [await exchange.addTrunk({ priority: 1 }), await exchange.addTrunk({ priority: 2 })]
  const caller = await exchange.callFrom(ada, mobile)
  assert.equal(trunkOf(exchange.phone), first)
  exchange.phone.progresses()
  assert.deepEqual(caller.log, ['proceed'])
  exchange.phone.refuses('overloaded', 503)
  await exchange.rest()
  assert.equal(trunkOf(exchange.phone), second)
  exchange.phone.rings()
  exchange.phone.progresses()
  assert.deepEqual(caller.log, ['proceed', 'ring'], 'what rings is not taken back')
})

test('tries trunks by priority, fails over on trunk errors, and stops when the called party rejects', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const last = await exchange.addTrunk({ priority: 50 })
  const first = await exchange.addTrunk({ priority: 10 })
  const second = await exchange.addTrunk({ priority: 10 })
  const off = await exchange.addTrunk({ priority: 1, active: false })
  const broken = await exchange.addTrunk({ priority: 2 })
  exchange.telephony.health.set(broken, { usable: false, calls: 0 })
  const caller = await exchange.callFrom(ada, mobile)
  const used: unknown[] = []
  const ends: ((leg: ScriptedLeg) => void)[] = [
    (leg) => leg.dies('no_answer'),
    (leg) => leg.refuses('overloaded', 503),
    (leg) => leg.refuses('unavailable', 480),
  ]
  for (const end of ends) {
    used.push(trunkOf(exchange.phone))
    end(exchange.phone)
    await exchange.rest()
  }
  assert.deepEqual(used, [first, second, last])
  assert.ok(!used.includes(off))
  assert.deepEqual(caller.log, ['hangUp unavailable'])
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })

  const again = await exchange.callFrom(ada, mobile)
  exchange.phone.rings()
  exchange.phone.refuses('overloaded', 503)
  await exchange.rest()
  assert.deepEqual(again.log, ['ring', 'hangUp overloaded'], 'once it rang there is no second try')
})

test('skips a full trunk, and rejects the call when all are full', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const [full, free] = [await exchange.addTrunk({ priority: 1 }), await exchange.addTrunk({ priority: 2 })]
  exchange.telephony.full.add(full)
  await exchange.callFrom(ada, outsideNumber)
  assert.equal(trunkOf(exchange.phone), free)
  exchange.telephony.full.add(free)
  assert.deepEqual((await exchange.callFrom(ada, outsideNumber)).log, ['hangUp overloaded'])
})

test('rejects as overloaded without a fault when media capacity is exhausted, whatever the destination', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  await exchange.addTrunk()
  const desk = await exchange.store.write(async (tables) =>
    exchange.addDevice(tables, ada.accountId, await exchange.addUser(tables, ada.accountId)),
  )
  exchange.telephony.crowded = true
  for (const dialled of [outsideNumber, desk]) assert.deepEqual((await exchange.callFrom(ada, dialled)).log, ['hangUp overloaded'], dialled)
  assert.deepEqual(exchange.failures, [])
})

test('emergency: tries the next trunk after any rejection, and ignores service codes and hops', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer({ money: 0, tariff: false })
  const [first, second] = [await exchange.addTrunk({ priority: 1 }), await exchange.addTrunk({ priority: 2 })]
  for (const dialled of ['112', '112#', '*31#112', '#31#110', '0112#', '+49112']) {
    const caller = await exchange.callFrom(ada, dialled, { hops: 9 })
    assert.equal(trunkOf(exchange.phone), first, dialled)
    exchange.phone.rings()
    exchange.phone.refuses('not_found', 404)
    await exchange.rest()
    assert.equal(trunkOf(exchange.phone), second, dialled)
    await exchange.seconds(120)
    exchange.phone.answers()
    await exchange.rest()
    assert.ok(caller.answered, dialled)
    caller.hangsUp()
    await exchange.rest()
  }
})
