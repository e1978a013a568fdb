import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases) {
  test(`${database}: lists a parked message without its content and sends it when revived`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const { accountId } = await world.newAccount()
    const mail = { to: 'ada@example.com', subject: 'Hello', text: 'a secret link' }
    await world.write(async ({ outbox }) => {
      await outbox.put({
        id: 'lost',
        accountId,
        kind: 'mail',
        payload: { sealed: world.running.deps.vault.seal(JSON.stringify(mail)) },
        at: world.clock.now() + 1,
      })
      await outbox.giveUp('lost', 'the mail server was away')
    })
    const { items } = await operator.listDeadLetters()
    const lastError = 'the mail server was away'
    assert.deepEqual([{ ...items[0], createdAt: '' }], [{ id: 'lost', accountId, kind: 'mail', attempts: 0, lastError, createdAt: '' }])
    assert.ok(!JSON.stringify(items).includes('secret'))

    await assert.rejects(operator.reviveDeadLetter({ messageId: 'none' }), { status: 404 })
    await operator.reviveDeadLetter({ messageId: 'lost' })
    await world.running.idle()
    const [file = ''] = await readdir(join(world.data, 'mail'))
    assert.match(await readFile(join(world.data, 'mail', file), 'utf8'), /a secret link/)
    assert.deepEqual((await operator.listDeadLetters({ limit: 1 })).items, [])
    await assert.rejects(operator.reviveDeadLetter({ messageId: 'lost' }), { status: 404 })
  })
}
