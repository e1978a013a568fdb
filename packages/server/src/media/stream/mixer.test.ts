import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mixer } from './room.ts'

const mixer = new Mixer(3)
const frames = { ann: Int16Array.of(1, 2, 3), bob: Int16Array.of(10, 20, 30), cem: Int16Array.of(100, 200, 300) }

test('two members get each other’s frame itself', () => {
  mixer.begin()
  const ann = mixer.add(frames.ann)
  const bob = mixer.add(frames.bob)
  const into = new Int16Array(3)
  assert.equal(mixer.heardBy(ann, into), frames.bob)
  assert.equal(mixer.heardBy(bob, into), frames.ann)
  assert.deepEqual([...into], [0, 0, 0])
})

test('three members hear the sum of the others, a listener hears all', () => {
  mixer.begin()
  const places = [mixer.add(frames.ann), mixer.add(frames.bob), mixer.add(frames.cem)]
  const heard = places.map((place) => [...mixer.heardBy(place, new Int16Array(3))])
  assert.deepEqual(heard, [
    [110, 220, 330],
    [101, 202, 303],
    [11, 22, 33],
  ])
  assert.deepEqual([...mixer.heardBy(-1, new Int16Array(3))], [111, 222, 333])
})

test('a single member hears silence', () => {
  mixer.begin()
  const ann = mixer.add(frames.ann)
  assert.deepEqual([...mixer.heardBy(ann, new Int16Array(3))], [0, 0, 0])
  assert.equal(mixer.heardBy(-1, new Int16Array(3)), frames.ann)
  mixer.begin()
  assert.deepEqual([...mixer.heardBy(-1, new Int16Array(3))], [0, 0, 0])
})

test("saturates loud voices instead of overflowing, after subtracting the member's own", () => {
  mixer.begin()
  const loud = Int16Array.of(30000, -30000, 32767)
  const places = [
    mixer.add(loud),
    mixer.add(loud),
    mixer.add(Int16Array.of(30000, -30000, -32768)),
    mixer.add(Int16Array.of(-30000, 30000, 5)),
  ]
  assert.deepEqual([...mixer.heardBy(places[3]!, new Int16Array(3))], [32767, -32768, 32766])
  assert.deepEqual([...mixer.heardBy(places[0]!, new Int16Array(3))], [30000, -30000, 4])
})
