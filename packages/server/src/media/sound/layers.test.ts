import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Layers } from './layers.ts'
import { MemorySource, RingSource } from './sound-source.ts'
import { SampleRing } from '../thread/sample-ring.ts'

const start = () => {
  const notified: string[] = []
  const layers = new Layers(
    (id, completed) => notified.push(`${completed ? 'ended' : 'stopped'} ${id}`),
    (id) => notified.push(`began ${id}`),
  )
  const read = (): (string | number | undefined)[] => {
    const into = new Int16Array(2)
    return [layers.read(into), ...into]
  }
  const sound = (value: number, length: number, loop = false) => new MemorySource(new Int16Array(length).fill(value), 8000, loop)
  return { layers, told: notified, read, sound }
}

test('plays the topmost layer, and resumes a covered one where it was', () => {
  const { layers, told: notified, read, sound } = start()
  layers.add('usual', 1, sound(1, 4))
  assert.deepEqual(read(), ['usual', 1, 1])
  layers.add('music', 2, sound(2, 2, true))
  layers.add('announcement', 3, sound(3, 4))
  assert.deepEqual(
    [read(), read(), read(), read()],
    [
      ['announcement', 3, 3],
      ['announcement', 3, 3],
      ['music', 2, 2],
      ['music', 2, 2],
    ],
  )
  layers.stop(2)
  assert.deepEqual(
    [read(), read()],
    [
      ['usual', 1, 1],
      [undefined, 0, 0],
    ],
  )
  assert.deepEqual(notified, ['began 3', 'ended 3', 'stopped 2', 'ended 1'])
})

test('a notice interrupts an announcement immediately', () => {
  const { layers, told: notified, read, sound } = start()
  layers.add('announcement', 1, sound(1, 4))
  assert.deepEqual(read(), ['announcement', 1, 1])
  layers.add('notice', 2, sound(2, 2))
  assert.deepEqual(
    [read(), read()],
    [
      ['notice', 2, 2],
      ['announcement', 1, 1],
    ],
  )
  assert.deepEqual(notified, ['began 1', 'began 2', 'ended 2', 'ended 1'])
})

test('two music requests do not affect each other', () => {
  const { layers, read, sound } = start()
  layers.add('music', 1, sound(1, 2, true))
  layers.add('music', 2, sound(1, 2, true))
  layers.stop(1)
  assert.deepEqual(read(), ['music', 1, 1])
  layers.stop(2)
  assert.deepEqual(read(), [undefined, 0, 0])
})

test('a feed continues silently while its input is muted', () => {
  const { layers, read } = start()
  const ring = SampleRing.of(8)
  let inputMuted = true
  layers.add('usual', 1, new RingSource(ring, 8000, () => inputMuted))
  ring.write(Int16Array.of(5, 5, 6, 6))
  ring.end()
  assert.deepEqual(read(), ['usual', 0, 0])
  inputMuted = false
  assert.deepEqual(read(), ['usual', 6, 6])
})
