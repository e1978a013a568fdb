// test: own process, real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DuplexTap, duplexBlockSamples } from './duplex-tap.ts'
import { SampleRing } from '../thread/sample-ring.ts'

const blockOf = (value: number, samples = duplexBlockSamples): Int16Array => new Int16Array(samples).fill(value)

test('writes received and sent sound as adjacent blocks', () => {
  const ring = SampleRing.of(10 * duplexBlockSamples)
  const tap = new DuplexTap(ring.buffer)
  for (let n = 1; n <= 3; n++) {
    tap.heard(blockOf(n))
    tap.sent(blockOf(-n))
  }
  const both = new Int16Array(2 * duplexBlockSamples)
  for (let n = 1; n <= 3; n++) {
    assert.equal(ring.read(both), both.length)
    assert.deepEqual(both, Int16Array.from([...blockOf(n), ...blockOf(-n)]))
  }
})

test('delays both sides of a line with another rate equally', () => {
  const ring = SampleRing.of(20 * duplexBlockSamples)
  const tap = new DuplexTap(ring.buffer)
  const click = blockOf(0, 960)
  click[500] = 20_000
  for (const frame of [click, blockOf(0, 960), blockOf(0, 960)]) {
    tap.heard(frame)
    tap.sent(frame)
  }
  const both = new Int16Array(6 * duplexBlockSamples)
  ring.read(both)
  assert.ok(both.some((sample) => sample > 1000))
  for (let block = 0; block < both.length; block += 2 * duplexBlockSamples)
    for (let i = 0; i < duplexBlockSamples; i++) assert.equal(both[block + i], both[block + duplexBlockSamples + i])
})

test('drops whole blocks when it is not read, so that the sides never swap', () => {
  const ring = SampleRing.of(1024) // not a whole number of blocks
  const tap = new DuplexTap(ring.buffer)
  const both = new Int16Array(2 * duplexBlockSamples)
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 5; n++) {
      tap.heard(blockOf(1))
      tap.sent(blockOf(2))
    }
    for (; ring.available > 0;) {
      assert.equal(ring.read(both), both.length)
      assert.ok(both.every((sample, i) => sample === (i < duplexBlockSamples ? 1 : 2)))
    }
  }
})
