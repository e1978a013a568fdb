import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

const first = { iccid: '8949000000000000001', imsi: '262011234567890', puk1: '98761234', puk2: '87654321' }

for (const database of databases)
  test(`${database}: manages the stock of SIM cards`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    assert.deepEqual(await operator.addSimCard({}, first), { iccid: first.iccid, imsi: first.imsi, state: 'STOCK' })
    const second = { iccid: '8949000000000000002', puk1: '11112222', puk2: '33334444' }
    await operator.addSimCard({}, second)
    for (const known of [first, { ...second, imsi: '262019999999999' }, { ...second, iccid: '8949000000000000003', imsi: first.imsi }])
      await assert.rejects(operator.addSimCard({}, known), { status: 409 })
    for (const wrong of [{ iccid: '123' }, { imsi: 'x' }, { puk1: '1234567' }, { puk2: '12345678 ' }])
      await assert.rejects(operator.addSimCard({}, { ...second, iccid: '8949000000000000004', ...wrong }), { status: 400 })
    const ids = async (query: Parameters<typeof operator.listSimCards>[0]) =>
      (await operator.listSimCards(query)).items.map(({ iccid }) => iccid)
    assert.deepEqual(await ids({}), [first.iccid, second.iccid])
    assert.deepEqual(await ids({ limit: 1 }), [first.iccid])
    assert.deepEqual(await ids({ after: first.iccid }), [second.iccid])
    assert.deepEqual(await ids({ state: 'ACTIVE' }), [])
    const stored = await world.write((tables) => tables.sims.lockCard(first.iccid))
    assert.ok(!JSON.stringify(stored).includes(first.puk1), 'PUKs are sealed')
    assert.deepEqual((await operator.listAllSimOrders({})).items, [])
    await assert.rejects(operator.moveSimOrder({ orderId: 'none' }, { event: 'cancel' }), { status: 404 })
    const ada = await world.newAccount()
    await world.write(async (tables) => {
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
      const order = { accountId: ada.accountId, state: 'CANCELLED', iccid: undefined, address, orderedBy: 'w0', updatedAt: 0 } as const
      for (const [id, createdAt] of [
        ['c', 1],
        ['b', 2],
        ['a', 2],
        ['d', 0],
      ] as const)
        await tables.sims.insertOrder({ ...order, id, deviceId: 'y0', createdAt })
    })
    const page = async (query: { after?: string }) =>
      (await operator.listAllSimOrders({ ...query, limit: 3 })).items.map(({ id }) => id).join('')
    assert.deepEqual(
      [await page({}), await page({ after: 'a' }), await page({ after: 'b' }), await page({ after: 'none' })],
      ['dca', 'b', '', ''],
    )
    await assert.rejects(ada.api.addSimCard({}, second), { status: 401 })
  })
