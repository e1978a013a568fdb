import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { FirstLooks } from './audit.ts'

const openLooks = () => {
  const clock = new VirtualClock()
  const looks = new FirstLooks(clock)
  const written: string[] = []
  const look = (at: string) => looks.note(at, async () => written.push(at))
  return { clock, looks, written, look }
}

test('records a look again after one hour, per object', async () => {
  const { clock, written, look } = openLooks()
  for (const at of ['a', 'a', 'b']) await look(at)
  assert.deepEqual(written, ['a', 'b'])
  await clock.advance(3_599_999)
  await look('a')
  assert.deepEqual(written, ['a', 'b'])
  await clock.advance(1)
  for (const at of ['a', 'a']) await look(at)
  assert.deepEqual(written, ['a', 'b', 'a'])
})

test('does not count a look that could not be written', async () => {
  const { looks, written, look } = openLooks()
  await assert.rejects(looks.note('a', () => Promise.reject(new Error('the database is away'))))
  await look('a')
  assert.deepEqual(written, ['a'])
})

test('evicts the oldest of many looks', async () => {
  const { written, look } = openLooks()
  for (let i = 0; i <= 10_000; i++) await look(`look ${i}`)
  await look('look 10000')
  assert.equal(written.length, 10_001)
  await look('look 0')
  assert.equal(written.length, 10_002)
})
