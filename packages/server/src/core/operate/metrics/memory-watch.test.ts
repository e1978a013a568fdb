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

test('a heap that holds four fifths of what it may for a whole minute is told once, and again when it is over', async () => {
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

test('what is collected within the minute was nothing that is needed', async () => {
  const { told: notified, watch, pass } = setUp()
  for (let n = 0; n < 20; n++) {
    await pass(30_000, isolate(0, 95))
    await pass(5_000, isolate(0, 60))
  }
  assert.deepEqual(notified, [])
  await watch.close()
})

test('a thread that ended is forgotten with its alarm, and the next one begins anew', async () => {
  const { told: notified, watch, pass } = setUp()
  await pass(60_000, isolate(0, 10), isolate(3, 90))
  await pass(5_000, isolate(0, 10))
  await pass(55_000, isolate(0, 10), isolate(4, 90))
  assert.deepEqual(notified, ['media 3 near'])
  await watch.close()
})
