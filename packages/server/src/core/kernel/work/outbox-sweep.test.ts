import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, startWorld } from '#test/world/world.ts'

const day = 24 * 60 * 60 * 1000

for (const database of bothDatabases) {
  test(`${database}: removes sent and given-up messages after 30 days, and keeps pending ones`, async (t) => {
    const world = await startWorld(t, { database })
    const { store } = world.running.deps
    const put = (id: string) => world.write(({ outbox }) => outbox.put({ id, kind: 'waits', payload: {}, at: world.clock.now() }))
    for (const id of ['dead', 'sent', 'waiting']) await put(id)
    await world.write(async ({ outbox }) => {
      await outbox.giveUp('dead', 'nobody there')
      await outbox.done('sent')
    })
    await world.clock.jump(29 * day)
    assert.equal((await store.read.outbox.listDead(9)).length, 1)
    await world.clock.jump(2 * day)
    assert.equal((await store.read.outbox.listDead(9)).length, 0)
    const left = await world.write(({ outbox }) => outbox.removeEndedBefore(world.clock.now()))
    assert.equal(left, 0, 'what was sent is gone too')
    assert.equal((await world.write(({ outbox }) => outbox.lease(['waits'], world.clock.now(), 9, 1))).length, 1)
  })
}
