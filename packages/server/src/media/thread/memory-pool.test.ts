import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryPool } from './shared-memory.ts'
import { SampleRing } from './sample-ring.ts'

test('reuses returned memory by size, with a cleared header', () => {
  const pool = new MemoryPool()
  const first = SampleRing.of(100, (bytes) => pool.take(bytes))
  first.write(new Int16Array(10).fill(7))
  first.leave()
  pool.give(first.buffer)
  assert.equal(SampleRing.of(1000, (bytes) => pool.take(bytes)).buffer === first.buffer, false, 'of another size')
  const second = SampleRing.of(100, (bytes) => pool.take(bytes))
  assert.equal(second.buffer, first.buffer)
  assert.deepEqual([second.available, second.readUntilNow, second.ended], [0, 0, false])
  assert.notEqual(SampleRing.of(100, (bytes) => pool.take(bytes)).buffer, first.buffer, 'only one has it')
})

test('an old handle of a ring with reused memory reads its end and changes no samples', async () => {
  const pool = new MemoryPool()
  const old = SampleRing.of(128, (bytes) => pool.take(bytes))
  old.write(new Int16Array(20))
  old.read(new Int16Array(15))
  const waiting = [old.hasSamples(100), old.hasCapacity(128), old.isRead(() => false)]
  old.leave()
  pool.give(old.buffer)
  const next = SampleRing.of(128, (bytes) => pool.take(bytes))
  await Promise.all(waiting)
  assert.deepEqual([old.available, old.room, old.ended, old.readUntilNow], [0, 0, true, 15])
  assert.deepEqual([old.write(new Int16Array(5)), old.read(new Int16Array(5))], [0, 0])
  old.end()
  assert.deepEqual([next.available, next.ended], [0, false])
})

test('keeps at most 64 of a size, and trims unneeded ones', () => {
  const pool = new MemoryPool()
  for (const buffer of Array.from({ length: 100 }, () => pool.take(1024))) pool.give(buffer)
  assert.equal(pool.keptBytes, 64 * 1024)
  pool.trim() // starts a new period
  for (const buffer of Array.from({ length: 10 }, () => pool.take(1024))) pool.give(buffer)
  pool.trim()
  assert.equal(pool.keptBytes, 10 * 1024)
  pool.trim()
  assert.equal(pool.keptBytes, 0)
})
