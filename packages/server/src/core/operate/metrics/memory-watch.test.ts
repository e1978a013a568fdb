import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { MemoryWatch, type Isolate } from './memory-watch.ts'

const isolate = (id: number, heapUsed: number): Isolate => ({
  thread: id === 0 ? 'main' : 'media',
  id,
  heapUsed,
  heapTotal: heapUsed,
  heapLimit: 100,
  external: 0,
  arrayBuffers: 0,
  cpuSeconds: 0,
})

const setUp = () => {
  const clock = new VirtualClock()
  const notified: string[] = []
  let isolates: Isolate[] = []
  const watch = new MemoryWatch({
    clock,
    isolates: () => isolates,
    changed: ({ thread, id, nearLimit }) => notified.push(`${thread} ${id} ${nearLimit ? 'near' : 'fine'}`),
  })
  const pass = async (ms: number, ...now: Isolate[]): Promise<void> => {
    isolates = now
    await clock.advance(ms)
  }
  return { clock, told: notified, watch, pass }
}

test('reports a heap above four fifths of its limit for a full minute once, and its recovery', async () => {
  const { clock, told: notified, watch, pass } = setUp()
  await pass(55_000, isolate(0, 85), isolate(3, 20))
  assert.deepEqual(notified, [])
  await pass(60_000, isolate(0, 85), isolate(3, 20))
  assert.deepEqual(notified, ['main 0 near'])
  assert.deepEqual(
    watch.isolates.map(({ nearLimit }) => nearLimit),
    [true, false],
  )
  await pass(5_000, isolate(0, 40), isolate(3, 20))
  assert.deepEqual(notified, ['main 0 near', 'main 0 fine'])
  await watch.close()
  assert.equal(clock.pending(), 0)
})

test('ignores memory that is collected within the minute', async () => {
  const { told: notified, watch, pass } = setUp()
  for (let n = 0; n < 20; n++) {
    await pass(30_000, isolate(0, 95))
    await pass(5_000, isolate(0, 60))
  }
  assert.deepEqual(notified, [])
  await watch.close()
})

test('forgets an ended thread and starts over for the next one', async () => {
  const { told: notified, watch, pass } = setUp()
  await pass(60_000, isolate(0, 10), isolate(3, 90))
  await pass(5_000, isolate(0, 10))
  await pass(55_000, isolate(0, 10), isolate(4, 90))
  assert.deepEqual(notified, ['media 3 near'])
  await watch.close()
})
