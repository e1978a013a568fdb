import assert from 'node:assert/strict'
import test from 'node:test'
import { databases, startWorld } from '../../../../../test/support/world.ts'

for (const database of databases) {
  test(`${database}: a message that was given up is listed without what it says, and is sent when it is revived`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const { accountId } = await world.newAccount()
    await world.write(({ outbox }) =>
      outbox.put({ id: 'lost', accountId, kind: 'pigeon', payload: { secret: 'a link' }, at: world.clock.now() }),
    )
    world.running.parts.wake()
    await world.running.idle()
    const [letter] = (await operator.listDeadLetters()).items
    assert.deepEqual(
      { ...letter, createdAt: '' },
      { id: 'lost', accountId, kind: 'pigeon', attempts: 1, lastError: 'nobody does pigeon', createdAt: '' },
    )
    assert.ok(!JSON.stringify(letter).includes('a link'))

    await assert.rejects(operator.reviveDeadLetter({ messageId: 'none' }), { status: 404 })
    await operator.reviveDeadLetter({ messageId: 'lost' })
    // Nobody delivers pigeons here, so it was tried once more and is dead again.
    await world.running.idle()
    assert.equal((await operator.listDeadLetters({ limit: 1 })).items[0]?.attempts, 1)
    const tries = (await operator.listAudit()).items.filter(({ action }) => action === 'outbox.revive')
    assert.deepEqual(
      tries.map(({ target }) => target),
      ['lost'],
    )
  })
}
