import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases) {
  test(`${database}: shows events to all users of the account until one is dismissed`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await world.write(async (tables) => {
      for (const name of ['first', 'second'])
        await tables.appEvents.insert(ada.accountId, { type: 'TEST', name, payload: { number: '+4921163554444' } }, 0)
      await tables.appEvents.insert(eve.accountId, { type: 'TEST', name: 'other', payload: {} }, 0)
    })
    const { items } = await bob.api.listAppEvents()
    assert.deepEqual(
      items.map(({ eventType, eventName, payload }) => ({ eventType, eventName, payload })),
      ['first', 'second'].map((eventName) => ({ eventType: 'TEST', eventName, payload: { number: '+4921163554444' } })),
    )
    const [foreign] = (await eve.api.listAppEvents()).items
    for (const id of [foreign?.eventId ?? '', '999', 'first', '-1', '1.5', '9'.repeat(40)])
      await assert.rejects(ada.api.deleteAppEvent({ id }), { status: 404 })
    assert.deepEqual((await ada.api.deleteAppEvent({ id: items[0]?.eventId ?? '' })).items, [items[1]])
    assert.deepEqual((await ada.api.deleteAppEvent({ id: items[1]?.eventId ?? '' })).items, [])
    assert.equal((await eve.api.listAppEvents()).items.length, 1)
    await assert.rejects(world.client().listAppEvents(), { status: 401 })
  })

  test(`${database}: serves terms and the welcome screen`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const before = (await ada.api.getTacs()).accepted
    await ada.api.setTacs({}, { accepted: !before })
    assert.deepEqual(await bob.api.getTacs(), { accepted: !before })
    await ada.api.setTacs({}, { accepted: true })
    assert.deepEqual(await bob.api.getTacs(), { accepted: true })
    await ada.api.setTacs({}, { accepted: false })
    assert.deepEqual(await bob.api.getTacs(), { accepted: false })
    await assert.rejects(bob.api.setTacs({}, { accepted: true }), { status: 403 })

    assert.deepEqual(await bob.api.getWelcome(), { enabled: true })
    await bob.api.setWelcome({}, { enabled: false })
    assert.deepEqual(await ada.api.getWelcome(), { enabled: false })
    await ada.api.setWelcome({}, { enabled: true })
    assert.deepEqual(await bob.api.getWelcome(), { enabled: true })
  })
}
