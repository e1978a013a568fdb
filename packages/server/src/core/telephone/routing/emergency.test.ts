import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { aNumber, openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'

const poor = { money: 0, tariff: false }

/** Number sent to the trunk and its emergency flag; ends the call afterwards. */
const dialledOut = async (exchange: Exchange, customer: Customer, dialled: string): Promise<unknown> => {
  const caller = await exchange.callFrom(customer, dialled)
  const [leg] = exchange.ringing
  const asked = leg?.target?.kind === 'trunk' ? [leg.target.number, leg.target.emergency] : leg ? 'a phone' : caller.log.at(-1)
  caller.hangsUp()
  await exchange.rest()
  return asked
}

const addQuickDial = ({ store }: Exchange, { accountId, line }: Customer, short: string) =>
  store.write((tables) =>
    tables.numbers.insert(accountId, {
      id: randomUUID(),
      short,
      type: 'QUICKDIAL',
      state: 'ACTIVE',
      endpointId: line,
      createdAt: 0,
    }),
  )

for (const database of databases) {
  test(`${database}: connects the emergency numbers of the account's country without funds`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const numbers = { AR: '911', BR: '190', CN: '120', IN: '108', KR: '119', ZA: '10111', AU: '000', GN: '112' }
    for (const [country, number] of Object.entries(numbers)) {
      const customer = await exchange.newCustomer({ ...poor, country })
      assert.deepEqual(await dialledOut(exchange, customer, number), [number, true], country)
    }
    assert.equal(await dialledOut(exchange, await exchange.newCustomer(poor), '190'), 'hangUp not_found', 'not one in Germany')
  })
}

test('reads 9 before an emergency number as an outside line unless it is another number', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const american = await exchange.newCustomer({ ...poor, country: 'US' })
  for (const dialled of ['9911', '9 911', '9911#', '*31#9911'])
    assert.deepEqual(await dialledOut(exchange, american, dialled), ['911', true], dialled)
  assert.equal(await dialledOut(exchange, american, '8911'), 'hangUp not_found')

  const indian = await exchange.newCustomer({ ...poor, country: 'IN' })
  assert.deepEqual(await dialledOut(exchange, indian, '9100'), ['100', true])
  const second = await exchange.newCustomer({ ...poor, country: 'IN' })
  await exchange.store.write((tables) => exchange.addDevice(tables, second.accountId, second.userId))
  await addQuickDial(exchange, second, '9100')
  assert.equal(await dialledOut(exchange, second, '9100'), 'a phone', 'a quick dial')
  assert.deepEqual(await dialledOut(exchange, second, '100'), ['100', true])

  const german = await exchange.newCustomer()
  assert.deepEqual(await dialledOut(exchange, german, '9112'), ['112', true])
  await exchange.store.write((tables) =>
    tables.devices.update(german.accountId, german.deviceId, { localPrefix: '0211', localPrefixActive: true }),
  )
  assert.deepEqual(await dialledOut(exchange, german, '9112'), ['+492119112', false], 'a number of the same town')
})

test('prefers an emergency number to a quick dial with the same digits', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const french = await exchange.newCustomer({ ...poor, country: 'FR' })
  await exchange.store.write((tables) => exchange.addDevice(tables, french.accountId, french.userId))
  await addQuickDial(exchange, french, '15')
  assert.deepEqual(await dialledOut(exchange, french, '15'), ['15', true])
})

const address = {
  poBox: '',
  extendedAddress: '',
  street: 'Invalidenstr.',
  houseNumber: '7',
  locality: 'Berlin',
  region: '',
  postalCode: '10115',
  country: 'DE',
}

/** Caller ID and location the trunk gets with an emergency call from this phone. */
const shownTo112 = async (
  exchange: Exchange,
  customer: Customer,
): Promise<{ number: string | undefined; locality: string | undefined }> => {
  const caller = await exchange.callFrom(customer, '112')
  const { dial, target } = exchange.phone
  caller.hangsUp()
  await exchange.rest()
  return { number: dial?.caller.number, locality: target?.kind === 'trunk' ? target.location?.locality : undefined }
}

let lastNumber = 0

/** Adds a number of the customer with this routing. */
const addNumber = async (
  { store }: Exchange,
  { accountId }: Customer,
  { flowId, ...to }: { endpointId?: string; flowId?: string; addressId?: number },
): Promise<{ id: string; e164: string }> => {
  const number = aNumber(`+493077700${String(++lastNumber).padStart(3, '0')}`)
  await store.write(async (tables) => {
    await tables.numbers.insert(accountId, { ...number, ...to })
    if (flowId !== undefined) await tables.numbers.setRouting(accountId, number.id, { flowId })
  })
  return number
}

const addFlow = async ({ store }: Exchange, { accountId }: Customer): Promise<string> => {
  const id = randomUUID()
  await store.write((tables) => tables.flows.insert(accountId, { id, name: 'Reception', settings: {} }, 0))
  return id
}

for (const database of databases) {
  test(`${database}: shows the caller's own number to the emergency services, not that of an assistant at the same address`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const addressId = await exchange.store.write((tables) => tables.addresses.insert(ada.accountId, address, 0))
    await addNumber(exchange, ada, { flowId: await addFlow(exchange, ada), addressId })
    await exchange.store.write((tables) => tables.devices.update(ada.accountId, ada.deviceId, { emergencyAddressId: addressId }))
    assert.deepEqual(await shownTo112(exchange, ada), { number: ada.number, locality: 'Berlin' })
    const { e164 } = await addNumber(exchange, ada, { endpointId: ada.line, addressId })
    assert.deepEqual(await shownTo112(exchange, ada), { number: e164, locality: 'Berlin' }, 'of two own numbers the one of the place')
  })

  test(`${database}: searches a callback number: own, of the line, of the account`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const { accountId } = ada
    const flowId = await addFlow(exchange, ada)
    const own = await exchange.store.read.numbers.findByE164(accountId, ada.number)
    const colleague = await exchange.store.write((tables) => exchange.addUser(tables, accountId))
    const [shared] = await exchange.store.read.phonelines.list(accountId, colleague)
    const [fax] = await exchange.store.read.faxlines.listByOwner(accountId, ada.userId)
    assert.ok(shared && fax && own)
    const setRouting = (id: string, to: { endpointId?: string; flowId?: string }) =>
      exchange.store.write((tables) => tables.numbers.setRouting(accountId, id, to))
    await addNumber(exchange, ada, { endpointId: fax.id })
    await addNumber(exchange, ada, {})
    const ofLine = await addNumber(exchange, ada, { endpointId: shared.id })
    const number = async () => (await shownTo112(exchange, ada)).number
    assert.equal(await number(), ada.number)
    await setRouting(own.id, { flowId })
    assert.equal(await number(), undefined, 'the line of the colleague has no phone: an assistant, a fax machine and nobody are left')
    await exchange.store.write((tables) => tables.phonelines.addDevice(accountId, shared.id, ada.deviceId))
    assert.equal(await number(), ofLine.e164)
    await exchange.store.write((tables) => tables.phonelines.removeDevice(accountId, shared.id, ada.deviceId))
    await exchange.store.write((tables) => exchange.addDevice(tables, accountId, colleague))
    assert.equal(await number(), ofLine.e164, 'of the account')
    await exchange.store.write((tables) => tables.devices.update(accountId, ada.deviceId, { callerId: ada.number, dnd: true }))
    assert.equal(await number(), ofLine.e164, 'what the phone shows to others does not count when it leads to an assistant')
    await setRouting(own.id, { endpointId: ada.line })
    assert.equal(await number(), ada.number, 'also while the phone is not to be disturbed')
  })

  test(`${database}: skips a number routed to an assistant at this hour`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const { accountId } = ada
    const flowId = await addFlow(exchange, ada)
    const scheduleId = randomUUID()
    await exchange.store.write(async (tables) => {
      await tables.schedules.insert(accountId, { id: scheduleId, name: 'Never', updatedAt: 0, timeZone: 'UTC', week: {}, days: [] })
      const rules = [{ scheduleId, when: 'CLOSED', action: 'FLOW', to: flowId } as const]
      await tables.routingRules.put(accountId, ada.line, { rules, overflow: [] })
    })
    assert.equal((await shownTo112(exchange, ada)).number, undefined)
    const { e164 } = await addNumber(exchange, ada, { endpointId: ada.deviceId })
    assert.equal((await shownTo112(exchange, ada)).number, e164)
  })
}
