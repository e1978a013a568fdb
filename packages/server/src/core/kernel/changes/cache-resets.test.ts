import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Bus } from '../ports/platform.ts'
import { CacheResets } from './cache-resets.ts'

const openResets = (bus: Bus, lastErasureAt: () => number | undefined = () => undefined) => {
  const clock = new VirtualClock(1_000_000)
  const errors: unknown[] = []
  const resets = new CacheResets({ bus, clock, lastErasureAt: async () => lastErasureAt(), onError: (error) => errors.push(error) })
  let count = 0
  resets.add(async () => void count++)
  return { resets, clock, errors, count: () => count }
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('empties the caches of all nodes, once each', async () => {
  const hub = new LocalHub()
  const [one, other] = [openResets(localBus(hub)), openResets(localBus(hub))]
  await one.resets.reset()
  await turn()
  assert.deepEqual([one.count(), other.count()], [1, 1])
  await other.resets.close()
  await one.resets.reset()
  await turn()
  assert.deepEqual([one.count(), other.count()], [2, 1])
})

test('reports a failed reset on another node and rejects a failed local reset', async () => {
  const hub = new LocalHub()
  const [one, other] = [openResets(localBus(hub)), openResets(localBus(hub))]
  other.resets.add(() => Promise.reject(new Error('the disk is gone')))
  await one.resets.reset()
  await turn()
  assert.match(String(other.errors), /the disk is gone/)
  await assert.rejects(other.resets.reset(), /the disk is gone/)
})

test('empties its caches on reconnect when a person was erased during the outage', async () => {
  let erasedAt: number | undefined
  let connection: (connected: boolean) => void = () => {}
  const bus: Bus = Object.assign(localBus(), {
    onConnection(changed: (connected: boolean) => void) {
      connection = changed
      return () => {}
    },
  })
  const { clock, count } = openResets(bus, () => erasedAt)
  const away = async (ms: number): Promise<void> => {
    connection(false)
    await clock.advance(ms)
    connection(true)
    await turn()
  }
  await away(1_000)
  assert.equal(count(), 0)
  erasedAt = clock.now() + 500
  await away(1_000)
  assert.equal(count(), 1)
  await clock.advance(120_000)
  await away(1_000)
  assert.equal(count(), 1)
})
