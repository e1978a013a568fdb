import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { aNumber, openExchange, stranger, type Customer, type Exchange } from '#test/switchboard/scripted-exchange.ts'
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
  test(`${database}: a phone calls a number outside: through a trunk, with its number, paid for what was talked`, async (t) => {
    const exchange = await openExchange(t, { database })
    const trunkId = await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const caller = await exchange.callFrom(ada, '0211 63554444')
    const { phone } = exchange
    assert.deepEqual(phone.target, { kind: 'trunk', trunkId, number: stranger, emergency: false })
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
    assert.deepEqual([entry.source, entry.target, entry.userId], [ada.number, stranger, ada.userId])
    assert.deepEqual(entry.connectionIds, [ada.line, ada.deviceId])
    const [booked] = await exchange.store.read.balances.listEntries(ada.accountId, { limit: 1 })
    assert.equal(booked?.sessionId, entry.sessionId)
  })
}

test('a call that is not answered: nothing is paid, and the caller is told why', async (t) => {
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
    const caller = await exchange.callFrom(ada, stranger)
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

test('what may not be called, cannot be paid or is no number is refused before anything is dialled', async (t) => {
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
    [poor, stranger, 'payment_required'],
    [bare, stranger, 'forbidden'],
  ]
  for (const [customer, dialled, cause] of refusals)
    assert.deepEqual((await exchange.callFrom(customer, dialled)).log, [`hangUp ${cause}`], dialled)
  assert.deepEqual(exchange.telephony.called, [])
  assert.equal((await exchange.history(ada)).length, 6)
  await exchange.store.write((tables) => tables.devices.remove(ada.accountId, ada.deviceId, exchange.clock.now()))
  assert.deepEqual((await exchange.callFrom(ada, stranger)).log, ['hangUp forbidden'])
})

test('inside the account: quick dials, extensions and SIP names; another account’s quick dial is unknown', async (t) => {
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

test('a number in service here is reached without a trunk and without money; both accounts have an entry of their own', async (t) => {
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

test('anonymous: carriers get the number with the wish to hide it, other accounts nothing at all, colleagues know', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  await changeDevice(exchange, ada, { callerId: 'anonymous' })
  await exchange.callFrom(ada, stranger)
  assert.deepEqual(exchange.phone.dial?.caller, { number: ada.number, name: '', withheld: true })
  exchange.phone.refuses('busy', 486)
  const caller = await exchange.callFrom(ada, bob.number)
  assert.deepEqual(exchange.phone.dial?.caller, { number: undefined, name: '', withheld: true })
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(bob)).source, 'anonymous')
  assert.equal((await exchange.history(ada))[0]?.source, ada.number)
  await changeDevice(exchange, ada, { callerId: null })
  await exchange.callFrom(ada, stranger, { caller: { number: '+491111', name: 'Somebody', withheld: true } })
  assert.deepEqual(exchange.phone.dial?.caller, { number: ada.number, name: '', withheld: true }, 'what a phone claims does not count')
})

test('the rescue services: whatever the settings, the money and the trunks', async (t) => {
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

test('the rescue services are given a number of the place where the phone is', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const there = '+493023125001'
  const address = {
    poBox: '',
    extendedAddress: '',
    street: 'X',
    houseNumber: '1',
    locality: 'Berlin',
    region: '',
    postalCode: '10115',
    country: 'DE',
  }
  await exchange.store.write(async (tables) => {
    const addressId = await tables.addresses.insert(ada.accountId, address, 0)
    await tables.numbers.insert(ada.accountId, { ...aNumber(there), addressId })
    await tables.devices.update(ada.accountId, ada.deviceId, { emergencyAddressId: addressId })
  })
  await exchange.callFrom(ada, '112')
  assert.equal(exchange.phone.dial?.caller.number, there)
})

test('a number dialled without area code gets the one of the device', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  await changeDevice(exchange, ada, { localPrefix: '0211', localPrefixActive: true })
  await exchange.callFrom(ada, '63554444')
  assert.equal(numberOf(exchange.phone), stranger)
})

test('that a carrier works on it is passed on, and does not keep the next one from being tried', async (t) => {
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

test('trunks by priority; the next one when a carrier cannot, none after the called party said no', async (t) => {
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

test('a trunk that is full is passed over; when all are, there is no way out', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const [full, free] = [await exchange.addTrunk({ priority: 1 }), await exchange.addTrunk({ priority: 2 })]
  exchange.telephony.full.add(full)
  await exchange.callFrom(ada, stranger)
  assert.equal(trunkOf(exchange.phone), free)
  exchange.telephony.full.add(free)
  assert.deepEqual((await exchange.callFrom(ada, stranger)).log, ['hangUp overloaded'])
})

test('when nothing is left to carry the sound the caller is told so, whichever destination was called, and it is no fault', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  await exchange.addTrunk()
  const desk = await exchange.store.write(async (tables) =>
    exchange.addDevice(tables, ada.accountId, await exchange.addUser(tables, ada.accountId)),
  )
  exchange.telephony.crowded = true
  for (const dialled of [stranger, desk]) assert.deepEqual((await exchange.callFrom(ada, dialled)).log, ['hangUp overloaded'], dialled)
  assert.deepEqual(exchange.failures, [])
})

test('the rescue services: another carrier is asked whatever the first one says, and no phone’s habits are in the way', async (t) => {
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
