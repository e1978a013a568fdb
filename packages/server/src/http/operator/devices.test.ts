import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases)
  test(`${database}: adds and deletes devices of a user`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const operator = await world.operator()
    const { accountId, userId } = ada
    const made = await operator.createAccountDevice({}, { accountId, userId, type: 'REGISTER', alias: 'Desk' })
    assert.deepEqual(made, { accountId, id: 'e0', alias: 'Desk', type: 'REGISTER', userId, online: false, dnd: false })
    await operator.createAccountDevice({}, { accountId, userId, type: 'EXTERNAL', alias: 'Home', number: '0211 63554444' })
    assert.deepEqual(
      (await operator.listAccountDevices({ accountId })).items.map(({ id, online }) => [id, online]),
      [
        ['e0', false],
        ['x0', true],
      ],
    )
    const seen = await ada.api.getDevice({ deviceId: 'e0' })
    assert.equal(seen.activePhonelines.length, 1)
    await operator.deleteAccountDevice({ accountId, deviceId: 'e0' })
    await assert.rejects(ada.api.getDevice({ deviceId: 'e0' }), { status: 404 })
    for (const missing of [
      () => operator.listAccountDevices({ accountId: '1' }),
      () => operator.createAccountDevice({}, { accountId: '1', userId, type: 'REGISTER', alias: 'Desk' }),
      () => operator.createAccountDevice({}, { accountId, userId: 'w9', type: 'REGISTER', alias: 'Desk' }),
      () => operator.deleteAccountDevice({ accountId, deviceId: 'e0' }),
      () => operator.deleteAccountDevice({ accountId: '1', deviceId: 'x0' }),
    ])
      await assert.rejects(missing(), { status: 404 })
    await assert.rejects(ada.api.listAccountDevices({ accountId }), { status: 401 })
    const audit = await world.running.deps.store.read.audit.list(accountId, { afterSeq: 0, limit: 10 })
    assert.deepEqual(
      audit.map(({ actor, action, target }) => [actor.split(':')[0], action, target]),
      [
        ['operator', 'device.create', 'e0'],
        ['operator', 'device.create', 'x0'],
        ['operator', 'device.delete', 'e0'],
      ],
    )
  })
