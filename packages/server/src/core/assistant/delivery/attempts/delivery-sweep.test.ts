import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aDelivery } from '#test/store/a-delivery.ts'
import { startWorld } from '#test/world/world.ts'

const day = 24 * 60 * 60 * 1000

test('deletes delivery log entries after 30 days, in batches', async (t) => {
  const world = await startWorld(t)
  const now = world.clock.now()
  await world.write(({ deliveries }) => deliveries.insert(Array.from({ length: 2_500 }, (_, at) => aDelivery(`old-${at}`, { at: now }))))
  await world.write(({ deliveries }) => deliveries.insert([aDelivery('new', { at: now + 5 * day })]))
  const left = () => world.running.deps.store.read.deliveries.list('a', 'flow', { limit: 5_000 })
  await world.clock.jump(29 * day)
  assert.equal((await left()).length, 2_501)
  await world.clock.jump(2 * day)
  assert.deepEqual(
    (await left()).map(({ id }) => id),
    ['new'],
  )
})
