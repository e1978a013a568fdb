import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { SoundTrack } from './sound-track.ts'

const counting = (from: number, count: number): Int16Array => Int16Array.from({ length: count }, (_, i) => from + i)

test('gives what is between two places, as far as it was written', () => {
  const track = SoundTrack.of(1)
  track.write(counting(0, 300))
  track.write(counting(300, 300))
  assert.equal(track.length, 600)
  assert.deepEqual([...track.read(290, 310)], [...counting(290, 20)])
  assert.deepEqual([...track.read(590, 700)], [...counting(590, 10)])
  assert.deepEqual(track.read(700, 800).length, 0)
  assert.deepEqual(track.read(-50, 3).length, 3)
  assert.equal(track.read(100).length, 500)
})

test('keeps the last seconds and forgets what was before', () => {
  const track = SoundTrack.of(1) // 8192 samples
  for (let written = 0; written < 20_000; written += 500) track.write(counting(written, 500))
  const kept = track.read(0)
  assert.equal(kept.length, 8192)
  assert.deepEqual([...kept], [...counting(20_000 - 8192, 8192)])
  assert.deepEqual([...track.read(12_000, 12_003)], [12_000, 12_001, 12_002])
})

test('a reader that waits for a position goes on when it is reached, or when it never will be', async () => {
  const track = SoundTrack.of(1)
  const reached: string[] = []
  const waiting = [
    track.reaches(100).then(() => reached.push('100')),
    track.reaches(200).then(() => reached.push('200')),
    track.reaches(5000).then(() => reached.push('end')),
  ]
  track.write(counting(0, 150))
  await waiting[0]
  assert.deepEqual(reached, ['100'])
  track.write(counting(150, 50))
  await waiting[1]
  track.end()
  await waiting[2]
  assert.ok(track.ended)
  await track.reaches(9000)
  assert.deepEqual(reached, ['100', '200', 'end'])
})

test('is written in another thread', async (t) => {
  const track = SoundTrack.of(1)
  const writer = new Worker(
    `const { workerData } = require('node:worker_threads')
     import(workerData.module).then(({ SoundTrack }) => {
       const track = new SoundTrack(workerData.buffer)
       for (let n = 0; n < 8000; n += 160) track.write(Int16Array.from({ length: 160 }, (_, i) => n + i))
       track.end()
     })`,
    { eval: true, workerData: { buffer: track.buffer, module: new URL('./sound-track.ts', import.meta.url).href } },
  )
  t.after(() => writer.terminate())
  await track.reaches(8000)
  assert.deepEqual([...track.read(4000, 4005)], [...counting(4000, 5)])
})
