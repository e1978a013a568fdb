import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue, type FairQueueLimits, type Place } from './fair-queue.ts'

/** Records started work; the first letter of a name is its key. */
const open = (limits: FairQueueLimits) => {
  const queue = new FairQueue(limits)
  const begun: string[] = []
  const places = new Map<string, Place>()
  const enter = (name: string): boolean => {
    const place = queue.enter(name.charAt(0), () => begun.push(name))
    if (place) places.set(name, place)
    return place !== undefined
  }
  const leave = (name: string): void => places.get(name)?.leave()
  return { queue, begun, enter, leave }
}

test('starts one per key in turns when several keys wait', () => {
  const { begun, enter, leave } = open({ maxRunning: 1, maxRunningPerKey: 1 })
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) enter(name)
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) leave(name)
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

test('starts another key when the first one has reached its limit', () => {
  const { begun, enter, leave } = open({ maxRunningPerKey: 2 })
  for (const name of ['a1', 'a2', 'a3', 'b1']) enter(name)
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  leave('b1')
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  leave('a2')
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3'])
})

test('rejects work beyond the queue limits, per key and in total', () => {
  const { enter } = open({ maxRunningPerKey: 1, maxWaitingPerKey: 2, maxWaiting: 3 })
  assert.deepEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1', 'c2'].map(enter), [
    true,
    true,
    true,
    false,
    true,
    true,
    false,
    true,
    false,
  ])
})

test('withdraws waiting work on leave, once', () => {
  const { begun, enter, leave } = open({ maxRunningPerKey: 1 })
  for (const name of ['a1', 'a2', 'a3']) enter(name)
  for (const name of ['a2', 'a2', 'a1', 'a1']) leave(name)
  assert.deepEqual(begun, ['a1', 'a3'])
  enter('a4')
  assert.deepEqual(begun, ['a1', 'a3'], 'a second leave does not make room')
})

test('releases the place of work that throws', async () => {
  const { queue, begun, enter } = open({ maxRunningPerKey: 1 })
  const failed = queue.run('a', () => Promise.reject(new Error('broken')))
  enter('a1')
  await assert.rejects(failed ?? Promise.resolve(), /broken/)
  assert.deepEqual(begun, ['a1'])
})
