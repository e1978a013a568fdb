import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reception } from './reception.ts'

test('counts loss, also when the sequence wraps', () => {
  const reception = new Reception(8000)
  for (let i = 0; i < 100; i++) if (i % 10 !== 5) reception.receive((65_500 + i) & 0xffff, i * 160, 1, i * 20)
  assert.equal(reception.packets, 90)
  assert.equal(reception.lost, 10)
  assert.equal(reception.highestSequence, 65_599, 'one round')
  assert.equal(reception.takeFractionLost(), 25)
  assert.equal(reception.takeFractionLost(), 0, 'since the last question')
  for (let i = 100; i < 104; i++) if (i !== 101) reception.receive((65_500 + i) & 0xffff, i * 160, 1, i * 20)
  assert.equal(reception.takeFractionLost(), 64)
})

test('a reordered packet is not lost, and a duplicate does not offset a loss in the fraction', () => {
  const reception = new Reception(8000)
  for (const sequence of [1, 2, 4, 3, 5, 5, 5]) reception.receive(sequence, sequence * 160, 1, sequence * 20)
  assert.equal(reception.lost, -2)
  assert.equal(reception.takeFractionLost(), 0)
})

test('jitter by RFC 3550: a constant deviation of 10 ms settles at 10 ms, a steady stream at 0', () => {
  const steady = new Reception(8000)
  const rough = new Reception(8000)
  for (let i = 0; i < 400; i++) {
    steady.receive(i, i * 160, 1, 1e9 + i * 20)
    rough.receive(i, i * 160, 1, i * 20 + (i % 2) * 10)
  }
  assert.equal(steady.jitterMs, 0)
  assert.ok(Math.abs(rough.jitterMs - 10) < 0.01)
  const wrapping = new Reception(48_000)
  for (let i = 0; i < 100; i++) wrapping.receive(i, (2 ** 32 - 48_000 + i * 960) >>> 0, 1, i * 20)
  assert.ok(wrapping.jitterMs < 0.01, `${wrapping.jitterMs} when the timestamp runs over`)
})

test('a new source or a sequence jump does not count as loss', () => {
  const reception = new Reception(8000)
  for (let i = 0; i < 10; i++) if (i !== 4) reception.receive(i, i * 160, 1, i * 20)
  for (let i = 0; i < 10; i++) if (i !== 4) reception.receive(40_000 + i, i * 160, 2, 200 + i * 20)
  assert.equal(reception.ssrc, 2)
  assert.equal(reception.lost, 1)
  for (let i = 0; i < 10; i++) reception.receive(10_000 + i, i * 160, 2, 400 + i * 20)
  assert.equal(reception.lost, 0)
  assert.equal(reception.lostAltogether, 2)
  assert.equal(reception.packets, 28)
})

test('reports zeros before the first packet', () => {
  const reception = new Reception(8000)
  assert.deepEqual([reception.lost, reception.takeFractionLost(), reception.jitterMs], [0, 0, 0])
})
