import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedMap } from './bounded-map.ts'

test('stays within its maximum size and keeps entries in use', () => {
  const map = new BoundedMap<number, string>(10)
  for (let n = 0; n < 1_000; n++) {
    map.set(n, `${n}`)
    assert.equal(map.get(0), '0', 'used each time')
    assert.ok(map.keys().length <= 10)
  }
  assert.deepEqual(map.get(999), '999')
  assert.equal(map.get(500), undefined)
  assert.ok([995, 996, 997, 998].every((n) => map.get(n) === `${n}`))
})

test('stores the latest value per key until it is deleted', () => {
  const map = new BoundedMap<string, number>(4)
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  map.set('a', 4)
  assert.deepEqual(map.keys().toSorted(), ['a', 'b', 'c'])
  assert.equal(map.get('a'), 4)
  map.delete('a')
  assert.equal(map.get('a'), undefined)
  map.clear()
  assert.deepEqual(map.keys(), [])
})
