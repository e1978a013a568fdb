import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import { balanceOf, topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'

/** Price in the standard tariff. */
const price = 49_500

const place = {
  poBox: '',
  extendedAddress: '',
  street: 'Gasse',
  houseNumber: '1',
  locality: 'Köln',
  region: '',
  postalCode: '50667',
  country: 'DE',
}
const iccid = (n: number) => `8949000000000000${String(n).padStart(3, '0')}`

/** An account with funds, a mobile device and an address; and cards in stock, or held by it. */
const prepare = async (world: World, { money = 3 * price, cards = 3, handed = false } = {}) => {
  const ada = await world.newAccount()
  const { id: deviceId } = await ada.api.createMobileDevice({ userId: ada.userId }, { alias: 'Pocket' })
  const { vault } = world.running.deps
  const addressId = await world.write(async (tables) => {
    await tables.accounts.update(ada.accountId, { tariffId: await openTariff(tables, world.clock, { currency: 'EUR' }) })
    const movement = { accountId: ada.accountId, amount: money, reason: 'test', idempotencyKey: ada.accountId, actor: 'test' }
    if (money > 0) await topUp(tables, world.clock, movement)
    for (let n = 0; n < cards; n++)
      await tables.sims.addCard({
        iccid: iccid(n),
        imsi: undefined,
        puk1Sealed: vault.seal('11111111'),
        puk2Sealed: vault.seal('22222222'),
        holder: handed ? { accountId: ada.accountId } : undefined,
      })
    return tables.addresses.insert(ada.accountId, place, 0)
  })
  const target = { userId: ada.userId, deviceId }
  const balance = async () => (await balanceOf(world.running.deps.store.read, ada.accountId)).amount
  return { ada, target, addressId: String(addressId), balance, operator: await world.operator() }
}

const mobile = async (person: Person, deviceId: string) => {
  const device = await person.api.getDevice({ deviceId })
  assert.equal(device.type, 'MOBILE')
  return device
}

for (const database of databases) {
  test(`${database}: handles a SIM card from the order to the first call`, async (t) => {
    const world = await startWorld(t, { database })
    const { ada, target, addressId, balance, operator } = await prepare(world)
    await ada.api.orderSim(target, { addressId })
    assert.equal(await balance(), 2 * price)
    assert.equal((await mobile(ada, target.deviceId)).simState, 'PENDING')
    await world.write((tables) => tables.addresses.update(ada.accountId, { ...place, id: Number(addressId), street: 'Allee' }, 1))
    const [order] = (await ada.api.listSimOrders(target)).items
    assert.ok(order)
    assert.equal(order.state, 'ORDERED')
    assert.equal(order.address.streetAddress, 'Gasse 1', 'the address as it was when the card was ordered')
    assert.deepEqual([order.deviceId, order.orderedBy, order.simId], [target.deviceId, ada.userId, undefined])

    const move = (event: 'pick' | 'ship' | 'deliver' | 'activate', card?: string) =>
      operator.moveSimOrder({ orderId: order.id }, { event, ...(card !== undefined && { iccid: card }) })
    await assert.rejects(move('ship'), { status: 409 })
    await assert.rejects(move('pick'), { status: 400 })
    await assert.rejects(move('pick', '894900000000000099999'), { status: 400 })
    const picked = await move('pick', iccid(0))
    assert.deepEqual([picked.state, picked.simId, picked.accountId], ['PICKED', iccid(0), ada.accountId])
    await assert.rejects(ada.api.assignSim(target, { simId: iccid(0) }), { status: 409 })
    await move('ship')
    await move('deliver')
    assert.equal((await mobile(ada, target.deviceId)).online, false)
    await ada.api.assignSim(target, { simId: iccid(0) })
    const device = await mobile(ada, target.deviceId)
    assert.deepEqual([device.simState, device.online], ['ACTIVE', true])
    assert.deepEqual(device.credentials, { simId: iccid(0), puk1: '', puk2: '' })
    const opened = await ada.api.readDeviceCredentials({ deviceId: target.deviceId })
    assert.deepEqual(opened, { puk1: '11111111', puk2: '22222222' })
    assert.equal((await ada.api.listSimOrders(target)).items[0]?.state, 'ACTIVATED')
    const notified = (await ada.api.listAppEvents()).items
    assert.deepEqual(
      notified.map(({ eventType, eventName, payload }) => [eventType, eventName, payload.status]),
      ['PICKED', 'SHIPPED', 'DELIVERED', 'ACTIVATED'].map((status) => ['SIM_ORDER', 'sim_order_changed', status]),
    )
    assert.equal(notified[0]?.payload.orderId, order.id)

    await ada.api.assignSim(target, { simId: iccid(0) })
    await ada.api.removeSim(target)
    const removed = await mobile(ada, target.deviceId)
    assert.deepEqual([removed.simState, removed.online, removed.credentials], ['INACTIVE', false, undefined])
    await assert.rejects(ada.api.removeSim(target), { status: 404 })
    await assert.rejects(ada.api.assignSim(target, { simId: iccid(0) }), { status: 409 })
    assert.equal(await balance(), 2 * price)
  })

  test(`${database}: allows one open order per device, and cards only in mobile devices`, async (t) => {
    const world = await startWorld(t, { database })
    const { ada, target, addressId, balance } = await prepare(world)
    const results = await Promise.allSettled([1, 2, 3].map(() => ada.api.orderSim(target, { addressId })))
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected'])
    await assert.rejects(ada.api.orderSim(target, { addressId }), (error: { status: number; body: { code: string } }) => {
      assert.deepEqual([error.status, error.body.code], [409, 'sim_order_open'])
      return true
    })
    assert.equal(await balance(), 2 * price)
    const { id: desk } = await ada.api.createRegisterDevice({ userId: ada.userId }, { alias: 'Desk' })
    const other = { userId: ada.userId, deviceId: desk }
    for (const refused of [
      () => ada.api.orderSim(other, { addressId }),
      () => ada.api.assignSim(other, { simId: iccid(0) }),
      () => ada.api.removeSim(other),
    ])
      await assert.rejects(refused(), { status: 400 })
    assert.deepEqual(await ada.api.getDeviceContingents(other), { contingents: [] })
  })

  test(`${database}: orders and charges once per Idempotency-Key`, async (t) => {
    const world = await startWorld(t, { database })
    const { ada, target, addressId, balance } = await prepare(world)
    for (let n = 0; n < 3; n++) await ada.api.orderSim(target, { addressId }, { idempotencyKey: 'once' })
    assert.equal((await ada.api.listSimOrders(target)).items.length, 1)
    assert.equal(await balance(), 2 * price)
    await assert.rejects(ada.api.orderSim(target, { addressId: '1234' }, { idempotencyKey: 'once' }), { status: 422 })
  })

  test(`${database}: rejects an order without funds and refunds a cancellation before dispatch`, async (t) => {
    const world = await startWorld(t, { database })
    const poor = await prepare(world, { money: price - 1 })
    await assert.rejects(poor.ada.api.orderSim(poor.target, { addressId: poor.addressId }), { status: 402 })
    assert.deepEqual((await poor.ada.api.listSimOrders(poor.target)).items, [])
    assert.equal((await mobile(poor.ada, poor.target.deviceId)).simState, 'INACTIVE')

    const { ada, target, addressId, balance, operator } = await prepare(world, { money: 2 * price, cards: 0 })
    const order = async () => {
      await ada.api.orderSim(target, { addressId })
      return (await operator.listAllSimOrders({ state: 'ORDERED' })).items[0]?.id ?? ''
    }
    const first = await order()
    await operator.moveSimOrder({ orderId: first }, { event: 'pick', iccid: iccid(1) })
    assert.equal(await balance(), price)
    await operator.moveSimOrder({ orderId: first }, { event: 'cancel' })
    assert.equal(await balance(), 2 * price)
    assert.equal((await mobile(ada, target.deviceId)).simState, 'INACTIVE')
    const card = async () => (await operator.listSimCards({})).items.find((one) => one.iccid === iccid(1))
    assert.deepEqual(await card(), { iccid: iccid(1), state: 'STOCK' }, 'back on the shelf')
    await assert.rejects(operator.moveSimOrder({ orderId: first }, { event: 'cancel' }), { status: 409 })

    const second = await order()
    await operator.moveSimOrder({ orderId: second }, { event: 'pick', iccid: iccid(1) })
    await operator.moveSimOrder({ orderId: second }, { event: 'ship' })
    await operator.moveSimOrder({ orderId: second }, { event: 'cancel' })
    assert.equal(await balance(), price, 'what was sent is paid')
    assert.equal((await card())?.state, 'DEACTIVATED', 'a card that is out there must not work')
  })

  test(`${database}: replaces the device's card with one of the account and rejects other cards`, async (t) => {
    const world = await startWorld(t, { database })
    const { ada, target, operator } = await prepare(world, { handed: true })
    const eve = await prepare(world, { cards: 0 })
    await operator.addSimCard({}, { iccid: iccid(7), puk1: '11111111', puk2: '22222222' })
    await assert.rejects(ada.api.assignSim(target, { simId: iccid(7) }), { status: 400 }, 'knowing its number does not make it ours')
    await ada.api.assignSim(target, { simId: iccid(0) })
    await ada.api.assignSim(target, { simId: iccid(1) })
    assert.equal((await mobile(ada, target.deviceId)).credentials?.simId, iccid(1))
    const states = (await operator.listSimCards({})).items.map(({ state }) => state)
    assert.deepEqual(states, ['DEACTIVATED', 'ACTIVE', 'STOCK', 'STOCK'])
    for (const simId of [iccid(1), 'unknown']) await assert.rejects(eve.ada.api.assignSim(eve.target, { simId }), { status: 400 })
    const { id: second } = await ada.api.createMobileDevice({ userId: ada.userId }, { alias: 'Second' })
    await assert.rejects(ada.api.assignSim({ ...target, deviceId: second }, { simId: iccid(1) }), { status: 409 })
  })

  test(`${database}: ends the card and the order of a deleted device`, async (t) => {
    const world = await startWorld(t, { database })
    const { ada, target, addressId, balance, operator } = await prepare(world, { handed: true })
    await ada.api.assignSim(target, { simId: iccid(0) })
    await ada.api.orderSim(target, { addressId })
    await ada.api.deleteDevice({ deviceId: target.deviceId })
    assert.equal(await balance(), 3 * price)
    assert.equal((await operator.listSimCards({ state: 'DEACTIVATED' })).items[0]?.iccid, iccid(0))
    assert.equal((await operator.listAllSimOrders({})).items[0]?.state, 'CANCELLED')
    for (const gone of [
      () => ada.api.orderSim(target, { addressId }),
      () => ada.api.listSimOrders(target),
      () => ada.api.removeSim(target),
    ])
      await assert.rejects(gone(), { status: 404 })
  })

  test(`${database}: restricts SIM cards to administrators, under the right user`, async (t) => {
    const world = await startWorld(t, { database })
    const { ada, target, addressId } = await prepare(world)
    const bob = await world.newUser(ada.accountId)
    const eve = await prepare(world, { cards: 0 })
    const { id: bobs } = await ada.api.createMobileDevice({ userId: bob.userId }, { alias: 'Bob' })
    const own = { userId: bob.userId, deviceId: bobs }
    assert.deepEqual(await bob.api.listSimOrders(own), { items: [] })
    for (const refused of [
      () => bob.api.orderSim(own, { addressId }),
      () => bob.api.assignSim(own, { simId: iccid(0) }),
      () => bob.api.removeSim(own),
      () => bob.api.listSimOrders(target),
    ])
      await assert.rejects(refused(), { status: 403 })
    for (const missing of [
      () => ada.api.orderSim({ ...target, userId: bob.userId }, { addressId }),
      () => ada.api.orderSim({ ...target, userId: 'w99' }, { addressId }),
      () => ada.api.orderSim({ ...target, deviceId: 'y99' }, { addressId }),
      () => eve.ada.api.orderSim(own, { addressId: eve.addressId }),
      () => ada.api.getDeviceContingents({ ...target, deviceId: 'y99' }),
    ])
      await assert.rejects(missing(), { status: 404 })
    for (const addressOfOthers of [eve.addressId, '0', 'home', '1e3'])
      await assert.rejects(ada.api.orderSim(target, { addressId: addressOfOthers }), withCode('parameter_invalid', 'addressId'))
  })
}
