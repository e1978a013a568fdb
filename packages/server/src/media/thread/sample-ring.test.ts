// test: own process, real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { SampleRing } from './sample-ring.ts'

const counting = (from: number, count: number): Int16Array => Int16Array.from({ length: count }, (_, i) => from + i)

test('returns samples in order, across its end', () => {
  const ring = SampleRing.of(100)
  const into = new Int16Array(50)
  ring.write(counting(0, 50))
  for (let n = 0; n < 40; n++) {
    assert.equal(ring.write(counting((n + 1) * 50, 50)), 50)
    assert.equal(ring.read(into), 50)
    assert.deepEqual(into, counting(n * 50, 50))
  }
  assert.equal(ring.available, 50)
})

test('touches only the front of its memory while it is read in time', () => {
  const ring = SampleRing.of(10_000)
  const reader = new SampleRing(ring.buffer)
  const into = new Int16Array(150)
  for (let n = 0; n < 200; n++) {
    ring.write(counting(n * 150, 100))
    ring.write(counting(n * 150 + 100, 50))
    assert.equal(reader.read(into), 150)
    assert.deepEqual(into, counting(n * 150, 150))
  }
  assert.equal(reader.readUntilNow, 30_000)
  const touched = new Uint8Array(ring.buffer).findLastIndex((byte) => byte !== 0)
  assert.ok(touched < 400, `${touched}`)
})

test('accepts only as many samples as it has room for', () => {
  const ring = SampleRing.of(128)
  assert.equal(ring.write(counting(0, 100)), 100)
  assert.equal(ring.room, 28)
  assert.equal(ring.write(counting(100, 100)), 28)
  assert.equal(ring.read(new Int16Array(200)), 128)
})

test('after its end it accepts no samples, but still returns those it has', async () => {
  const ring = SampleRing.of(128)
  ring.write(counting(0, 10))
  ring.end()
  assert.equal(ring.write(counting(0, 10)), 0)
  assert.equal(ring.read(new Int16Array(200)), 10)
  await ring.hasSamples(1)
  await ring.hasCapacity(1)
})

test('a reader waits for a writer in another thread, and the writer for room', async (t) => {
  const ring = SampleRing.of(1024)
  const total = 20_000
  const writer = new Worker(
    `const { workerData } = require('node:worker_threads')
     import(workerData.module).then(async ({ SampleRing }) => {
       const ring = new SampleRing(workerData.buffer)
       setInterval(() => {}, 1000) // waiting for a ring keeps no thread alive
       let n = 0
       while (n < ${total}) {
         await ring.hasCapacity(100)
         n += ring.write(Int16Array.from({ length: Math.min(100, ${total} - n) }, (_, i) => n + i))
       }
       ring.end()
     })`,
    { eval: true, workerData: { buffer: ring.buffer, module: new URL('./sample-ring.ts', import.meta.url).href } },
  )
  t.after(() => writer.terminate())
  const into = new Int16Array(77)
  let n = 0
  while (n < total) {
    await ring.hasSamples(1)
    const count = ring.read(into)
    for (let i = 0; i < count; i++) assert.equal(into[i], n++)
  }
  await ring.hasSamples(1)
  assert.ok(ring.ended)
})
