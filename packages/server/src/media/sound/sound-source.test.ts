// test: real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toneLevel } from '#test/sound/spectrum.ts'
import { Playout } from './playout.ts'
import { SampleRing } from '../thread/sample-ring.ts'
import { MemorySource, RingSource } from './sound-source.ts'
import { sine } from './tone.ts'

const start = (rate: number) => {
  const ended: [number, boolean, number][] = []
  return { playout: new Playout((...end) => ended.push(end), { rate }), ended }
}

/** Frames of 20 ms, one after the other. */
const listen = (playout: Playout, rate: number, frames: number): Int16Array => {
  const heard = new Int16Array((rate / 50) * frames)
  for (let i = 0; i < frames; i++) playout.read(heard.subarray((i * rate) / 50, ((i + 1) * rate) / 50))
  return heard
}

test('resamples a sound and reports its end', () => {
  for (const [from, to] of [
    [8000, 16_000],
    [16_000, 8000],
  ] as const) {
    const { playout, ended } = start(to)
    playout.addSource(1, new MemorySource(sine([600], 395, from), from, false))
    playout.add(2, Int16Array.of(7))
    const heard = listen(playout, to, 22)
    assert.ok(toneLevel(heard.subarray(0, to * 0.3), 600, to) > -16)
    assert.deepEqual(ended, [
      [1, true, to * 0.4],
      [2, true, 1],
    ])
  }
})

test('the rate may change in the middle of a sound', () => {
  const { playout, ended } = start(8000)
  playout.addSource(1, new MemorySource(sine([600], 800, 8000), 8000, false))
  assert.ok(toneLevel(listen(playout, 8000, 20), 600, 8000) > -16)
  playout.rate = 16_000
  assert.ok(toneLevel(listen(playout, 16_000, 18), 600, 16_000) > -16)
  listen(playout, 16_000, 3)
  assert.equal(ended[0]?.[1], true)
})

test('loops a resampled sound without a gap', () => {
  const { playout } = start(16_000)
  const round = Int16Array.from({ length: 400 }, (_, i) => 8000 * Math.sin((2 * Math.PI * 600 * i) / 8000))
  playout.addSource(1, new MemorySource(round, 8000, true))
  assert.ok(toneLevel(listen(playout, 16_000, 50).subarray(320), 600, 16_000) > -13)
})

test('awaits an unfinished sound in silence until its writer ends it', () => {
  const { playout, ended } = start(8000)
  const ring = SampleRing.of(1024)
  playout.addSource(1, new RingSource(ring, 8000))
  assert.ok(listen(playout, 8000, 1).every((sample) => sample === 0))
  ring.write(new Int16Array(100).fill(5))
  assert.deepEqual([...listen(playout, 8000, 1)], [...new Int16Array(100).fill(5), ...new Int16Array(60)])
  assert.equal(playout.playing, true)
  ring.write(new Int16Array(10).fill(6))
  ring.end()
  assert.equal(listen(playout, 8000, 1)[9], 6)
  assert.deepEqual(ended, [[1, true, 110]])
})
