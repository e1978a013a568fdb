import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readArchive } from '#test/privacy/read-archive.ts'
import { databases, startWorld } from '#test/world/world.ts'

const minute = 60_000
const day = 24 * 60 * minute

for (const database of databases) {
  test(`${database}: exports an account visibly for the account`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount('Planted Ltd')
    const mallory = await world.newAccount('Foreign Ltd')
    const { accountId } = ada
    const { id: exportId } = await operator.createAccountExport({}, { accountId, subject: { type: 'ACCOUNT' } })
    await world.clock.advance(0)
    assert.equal((await operator.readAccountExport({ exportId })).state, 'READY')
    const files = await readArchive(await operator.readAccountExportArchive({ exportId }))
    const text = Buffer.concat(Object.values(files)).toString()
    for (const planted of ['Planted Ltd', ada.email]) assert.ok(text.includes(planted), planted)
    for (const foreign of ['Foreign Ltd', mallory.email]) assert.ok(!text.includes(foreign), foreign)
    assert.equal((await operator.listAccountExports({ accountId })).items.length, 1)
    assert.equal((await operator.listAccountExports({ accountId: mallory.accountId })).items.length, 0)
    const { items } = await ada.api.listAccountAudit({})
    assert.deepEqual(
      items.map(({ action }) => action),
      ['export.read', 'export.request'],
    )
    await operator.deleteAccountExport({ exportId })
    await assert.rejects(operator.readAccountExport({ exportId }), { status: 404 })
    const unknown = operator.createAccountExport({}, { accountId: '9999999', subject: { type: 'ACCOUNT' } })
    await assert.rejects(unknown, { status: 404 })
  })

  test(`${database}: closes an erased account immediately, frees its numbers, and keeps other accounts`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount('Planted Ltd')
    const mallory = await world.newAccount('Foreign Ltd')
    const { accountId } = ada
    await operator.assignNumber({}, { accountId, number: '+4915799900001' })
    const { id: erasureId } = await operator.createAccountErasure({}, { accountId, subject: { type: 'ACCOUNT' }, graceDays: 0 })
    await world.clock.jump(0)
    assert.equal((await operator.readAccountErasure({ erasureId })).state, 'RUNNING')
    await world.clock.jump(1_000)
    await assert.rejects(ada.api.getAccount(), { status: 401 })
    await world.clock.jump(minute)
    assert.equal((await operator.readAccountErasure({ erasureId })).state, 'DONE')
    await assert.rejects(operator.readAccount({ accountId }), { status: 404 })
    await operator.assignNumber({}, { accountId: mallory.accountId, number: '+4915799900001' })
    assert.equal((await mallory.api.getAccount()).company, 'Foreign Ltd')
    const { items } = await operator.listAudit({})
    assert.deepEqual(
      items.filter(({ action }) => action === 'erasure.done').map(({ target }) => target),
      [erasureId],
    )
    assert.doesNotMatch(JSON.stringify(items), /Planted Ltd/)
    assert.deepEqual((await operator.verifyAudit()).broken, [])
    assert.equal((await operator.listAccountErasures({ accountId })).items[0]?.state, 'DONE')
    const again = operator.createAccountErasure({}, { accountId, subject: { type: 'ACCOUNT' } })
    await assert.rejects(again, { status: 404 }, 'nothing is left')
  })

  test(`${database}: lets only the operator cancel the operator's erasure`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const { accountId } = ada
    const { id: erasureId, dueAt } = await operator.createAccountErasure({}, { accountId, subject: { type: 'ACCOUNT' } })
    assert.equal(dueAt, new Date(world.clock.now() + 7 * day).toISOString())
    assert.equal((await ada.api.getErasure({ erasureId })).state, 'SCHEDULED')
    await assert.rejects(ada.api.cancelErasure({ erasureId }), { status: 403 })
    await operator.cancelAccountErasure({ erasureId })
    await world.clock.jump(7 * day)
    await world.clock.jump(minute)
    assert.equal((await ada.api.getErasure({ erasureId })).state, 'CANCELLED')
    await ada.api.getAccount()
    const own = await ada.api.createErasure({}, { subject: { type: 'ACCOUNT' }, graceDays: 30 })
    await operator.cancelAccountErasure({ erasureId: own.id })
  })
}
