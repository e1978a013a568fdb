import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { SoundTrack } from './sound-track.ts'

const counting = (from: number, count: number): Int16Array => Int16Array.from({ length: count }, (_, i) => from + i)

test('returns the written part of a range', () => {
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

test('keeps the last seconds and drops older audio', () => {
  const track = SoundTrack.of(1) // 8192 samples
  for (let written = 0; written < 20_000; written += 500) track.write(counting(written, 500))
  const kept = track.read(0)
  assert.equal(kept.length, 8192)
  assert.deepEqual([...kept], [...counting(20_000 - 8192, 8192)])
  assert.deepEqual([...track.read(12_000, 12_003)], [12_000, 12_001, 12_002])
})

test('touches little memory while readers need only the last seconds', () => {
  const track = SoundTrack.of(30)
  track.needs('turn', undefined)
  for (let written = 0; written < 80_000; written += 500) track.write(counting(written, 500))
  const kept = track.read(0)
  assert.ok(kept.length >= 10_000 && kept.length < 12_500, `${kept.length}`)
  assert.deepEqual([...kept], [...counting(80_000 - kept.length, kept.length)])
  const touched = new Int16Array(track.buffer, 32).findLastIndex((sample) => sample !== 0)
  assert.ok(touched < 25_600, `${touched}`)
})

test('keeps a long turn from its start and drops it afterwards', () => {
  const track = SoundTrack.of(30)
  const write = (until: number): void => {
    while (track.length < until) track.write(counting(track.length, 256))
  }
  track.needs('turn', undefined)
  for (const begin of [50_000, 400_000, 700_000]) {
    write(begin)
    track.needs('turn', begin - 2_400)
    for (const end of [begin + 20_000, begin + 100_000, begin + 230_000]) {
      write(end)
      const turn = track.read(begin - 2_400, end)
      assert.equal(turn.length, end - begin + 2_400)
      assert.deepEqual(turn, counting(begin - 2_400, turn.length))
    }
    track.needs('turn', undefined)
    write(track.length + 70_000)
    assert.ok(track.read(0).length < 12_256)
  }
})

test('keeps detected speech until the turn reader knows of it', () => {
  const track = SoundTrack.of(30)
  const write = (until: number): void => {
    while (track.length < until) track.write(counting(track.length, 256))
  }
  const [first, second] = [50_000, 75_000]
  track.needs('turn', undefined)
  for (const begin of [first, second]) {
    write(begin + 1_000)
    track.voiceBegan(begin)
  }
  track.needs('turn', undefined) // refers to earlier audio
  write(120_000)
  const keptFrom = (place: number): void => {
    const kept = track.read(place)
    assert.equal(kept.length, track.length - place)
    assert.deepEqual(kept, counting(place, kept.length))
  }
  keptFrom(first - 2_400)
  track.knowsVoice(first)
  write(140_000)
  keptFrom(second - 2_400)
  track.knowsVoice(second)
  write(170_000)
  assert.ok(track.read(0).length < 12_256)
})

test('keeps all audio for a delayed stream reader', () => {
  const track = SoundTrack.of(30)
  track.needs('turn', undefined)
  track.needs('stream', 0)
  for (let place = 0; place < 800; place++) track.write(counting(place * 100, 100))
  assert.deepEqual(track.read(0), counting(0, 80_000))
  track.needs('stream', 75_000)
  track.write(counting(80_000, 100))
  assert.deepEqual(track.read(75_000), counting(75_000, 5_100))
  assert.ok(track.read(0).length < 80_000)
})

test('resolves a waiting reader at its position or at the end', async () => {
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

test('is written by another thread', async (t) => {
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
