import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

for (const database of databases) {
  test(`${database}: removes devices, lines, memberships and notifications of a disabled user`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const operator = await world.operator()
    const { read } = world.running.deps.store
    const { accountId } = ada
    const mine = { userId: bob.userId }
    const { id: groupId } = await ada.api.createGroup({}, { alias: 'Sales', members: ['w0', 'w1'] })
    const external = await bob.api.createExternalDevice(mine, { alias: 'Home', number: '0211 12345678' })
    const mobile = await ada.api.createMobileDevice(mine, { alias: 'Pocket' })
    await ada.api.addPhonelineDevice({ userId: 'w0', phonelineId: 'p0' }, { deviceId: external.id })
    const second = await ada.api.createPhoneline(mine, { alias: 'Second' })
    const forwardings = [{ destination: 'p1', timeout: 5, active: true }]
    await bob.api.replaceForwardings({ ...mine, phonelineId: second.id }, { forwardings })
    for (const endpointId of ['p1', groupId])
      await bob.api.createNotification(mine, { type: 'CALL', endpointId, via: 'EMAIL', recipient: 'bob@example.com', direction: 'ALL' })
    await bob.api.createContact({}, { name: 'Own' })
    await bob.api.createContact({}, { name: 'Everybody', shared: true })
    const puk = world.running.deps.vault.seal('12345678')
    await world.write(async (tables) => {
      await tables.sims.addCard({ iccid: '8949000000000000001', imsi: undefined, puk1Sealed: puk, puk2Sealed: puk, holder: undefined })
      await tables.sims.setCard('8949000000000000001', 'ACTIVE', { accountId, deviceId: mobile.id })
      const number = { id: 'n1', e164: '+4921112345679', type: 'MOBILE', state: 'ACTIVE', createdAt: 0 } as const
      await tables.numbers.insert(accountId, { ...number, endpointId: 's1' })
    })

    const disable = () => operator.disableUser({ accountId, userId: 'w1' })
    await assert.rejects(disable(), withCode('endpoint_in_use', 's1'))
    assert.equal((await bob.api.listUserDevices(mine)).items.length, 2, 'a refusal changes nothing')
    await ada.api.changeNumber({ numberId: 'n1' }, { endpointId: 'p0' })
    await ada.api.replaceForwardings({ userId: 'w0', phonelineId: 'p0' }, { forwardings })
    await assert.rejects(disable(), withCode('endpoint_in_use', 'p0', 'p1'))
    await ada.api.replaceForwardings({ userId: 'w0', phonelineId: 'p0' }, { forwardings: [] })
    await disable()

    assert.deepEqual((await ada.api.listGroupDevices({ groupId })).items, [])
    assert.deepEqual((await ada.api.listPhonelineDevices({ userId: 'w0', phonelineId: 'p0' })).items, [])
    assert.deepEqual((await read.groups.listByMember(accountId, 'w1')).length, 0)
    for (const endpointId of ['p1', groupId]) assert.deepEqual(await read.notifications.listByEndpoint(accountId, endpointId), [])
    for (const id of ['p1', 'v1', 'f1', 's1', second.id, external.id, mobile.id])
      assert.equal(await read.extensions.find(accountId, id), undefined, id)
    assert.equal((await operator.listSimCards({})).items[0]?.state, 'DEACTIVATED')
    assert.deepEqual(
      (await ada.api.listContacts()).items.map(({ name }) => name),
      ['Everybody'],
    )
    assert.equal(await read.contacts.count(accountId), 1)
  })

  test(`${database}: ends SIM cards and orders with the account`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const operator = await world.operator()
    const { accountId } = ada
    const [used, awaited] = [
      await ada.api.createMobileDevice({ userId: 'w0' }, { alias: 'Pocket' }),
      await ada.api.createMobileDevice({ userId: 'w0' }, { alias: 'Bag' }),
    ]
    const puk = world.running.deps.vault.seal('12345678')
    await world.write(async (tables) => {
      await tables.sims.addCard({ iccid: '8949000000000000001', imsi: undefined, puk1Sealed: puk, puk2Sealed: puk, holder: undefined })
      await tables.sims.setCard('8949000000000000001', 'ACTIVE', { accountId, deviceId: used.id })
      const address = {
        poBox: '',
        extendedAddress: '',
        street: '',
        houseNumber: '',
        locality: '',
        region: '',
        postalCode: '',
        country: 'DE',
      }
      const order = { id: 'o1', accountId, deviceId: awaited.id, iccid: undefined, address, orderedBy: 'w0', createdAt: 0, updatedAt: 0 }
      await tables.sims.insertOrder({ ...order, state: 'ORDERED' })
    })
    await operator.closeAccount({ accountId })
    assert.equal((await operator.listSimCards({})).items[0]?.state, 'DEACTIVATED')
    assert.equal((await operator.listAllSimOrders({})).items[0]?.state, 'CANCELLED')
  })
}
