import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Playout } from './playout.ts'

const start = () => {
  const ended: [number, boolean, number][] = []
  return { playout: new Playout((...end) => ended.push(end)), ended }
}

const read = (playout: Playout, samples: number): number[] | false => {
  const into = new Int16Array(samples).fill(99)
  return playout.read(into) && [...into]
}

test('plays sounds without a gap and reports each end once', () => {
  const { playout, ended } = start()
  playout.add(1, Int16Array.of(1, 2, 3))
  playout.add(2, Int16Array.of(4, 5, 6))
  assert.deepEqual(read(playout, 2), [1, 2])
  assert.deepEqual(ended, [])
  assert.deepEqual(read(playout, 2), [3, 4])
  assert.deepEqual(ended, [[1, true, 3]])
  assert.deepEqual(read(playout, 4), [5, 6, 0, 0])
  assert.deepEqual(ended, [
    [1, true, 3],
    [2, true, 3],
  ])
  assert.equal(playout.playing, false)
  assert.equal(read(playout, 2), false)
})

test('loops until it is stopped, and reports the played samples', () => {
  const { playout, ended } = start()
  playout.add(1, Int16Array.of(1, 2, 3), true)
  playout.add(2, Int16Array.of(9))
  assert.deepEqual(read(playout, 7), [1, 2, 3, 1, 2, 3, 1])
  playout.stop(1)
  assert.deepEqual(ended, [[1, false, 7]])
  assert.deepEqual(read(playout, 2), [9, 0])
})

test('removes a waiting sound, and ignores unknown ones', () => {
  const { playout, ended } = start()
  playout.add(1, Int16Array.of(1, 1))
  playout.add(2, Int16Array.of(2, 2))
  playout.stop(2)
  playout.stop(2)
  playout.stop(77)
  assert.deepEqual(ended, [[2, false, 0]])
  playout.add(3, Int16Array.of(3))
  playout.stopAll()
  assert.deepEqual(ended.slice(1), [
    [1, false, 0],
    [3, false, 0],
  ])
  assert.equal(playout.playing, false)
})

test('an empty sound ends immediately, even as a loop', () => {
  const { playout, ended } = start()
  playout.add(1, new Int16Array(0), true)
  playout.add(2, Int16Array.of(5))
  assert.deepEqual(read(playout, 1), [5])
  assert.deepEqual(ended, [
    [1, true, 0],
    [2, true, 1],
  ])
})

test('accepts new sounds in the end callback', () => {
  const playout: Playout = new Playout((id) => {
    if (id === 1) playout.add(2, Int16Array.of(7))
  })
  playout.add(1, Int16Array.of(1))
  assert.deepEqual(read(playout, 3), [1, 7, 0])
})
