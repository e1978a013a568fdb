import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases)
  test(`${database}: lists changes of the account for administrators, newest first`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const outsideNumber = await world.newAccount()
    const before = (await ada.api.listAccountAudit()).items.length
    await world.write(async ({ audit }) => {
      for (const target of ['t1', 't2', 't3'])
        await audit.append(ada.accountId, { at: world.clock.now(), actor: 'user:w0', action: 'thing.do', target })
    })
    const targets = async (page: { before?: number; limit?: number }) =>
      (await ada.api.listAccountAudit(page)).items.map(({ seq, target }) => [seq - before, target])
    assert.deepEqual(await targets({ limit: 2 }), [
      [3, 't3'],
      [2, 't2'],
    ])
    assert.deepEqual(await targets({ before: before + 2, limit: 1 }), [[1, 't1']])
    assert.deepEqual(await targets({ before: 1 }), [])
    assert.equal((await targets({ before: before + 1 })).length, before)
    assert.ok((await outsideNumber.api.listAccountAudit()).items.every(({ action }) => action !== 'thing.do'))
    await assert.rejects(bob.api.listAccountAudit(), { status: 403 })
    await assert.rejects(ada.api.listAccountAudit({ limit: 101 }), { status: 400 })
  })
