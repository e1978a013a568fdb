import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summariseLateness } from './lateness.ts'
import { knock, PacedLoop, type Paced } from './paced-loop.ts'

const startLoop = (receivesByEvents = false) => {
  const failures: [Paced, unknown][] = []
  const door = new SharedArrayBuffer(4)
  const loop = new PacedLoop({ receive() {}, failed: (paced, error) => failures.push([paced, error]), door, receivesByEvents })
  return { loop, failures, door }
}

/** Has its turn so often, then leaves. */
const member = (loop: PacedLoop, turns: number) => {
  const times: number[] = []
  const frames: number[] = []
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const paced: Paced = {
    tick(nowMs) {
      times.push(nowMs)
      frames.push(loop.frame)
      if (times.length === turns) {
        loop.remove(paced)
        resolve()
      }
      return 1
    },
  }
  return { paced, times, frames, done }
}

test('everybody has a turn every 20 ms, in a frame of its own', async () => {
  const { loop } = startLoop()
  const members = Array.from({ length: 30 }, () => member(loop, 10))
  for (const { paced } of members) loop.add(paced)
  await Promise.all(members.map(({ done }) => done))
  for (const { times, frames } of members) {
    const duration = times.at(-1)! - times[0]!
    assert.ok(duration > 100 && duration < 600, String(duration))
    assert.deepEqual(
      frames,
      Array.from({ length: 10 }, (_, i) => frames[0]! + i),
    )
  }
  const { p50, p99, frames } = summariseLateness([loop.lateness.takeCounts()])
  assert.equal(frames, 300)
  assert.ok(p50 > 0 && p50 <= p99)
  assert.equal(summariseLateness([loop.lateness.takeCounts()]).frames, 0, 'counted anew')
})

test('members spread over the 20 ms; who is put beside another has its turn together with it', async () => {
  const { loop } = startLoop()
  const first = member(loop, 5)
  const second = member(loop, 5)
  const beside = member(loop, 5)
  loop.add(first.paced)
  loop.add(second.paced)
  loop.add(beside.paced, first.paced)
  await Promise.all([first.done, second.done, beside.done])
  assert.deepEqual(beside.times, first.times)
  assert.notDeepEqual(second.times, first.times)
})

test('a turn that throws is told, and the others go on', async () => {
  const { loop, failures } = startLoop()
  const bad: Paced = {
    tick() {
      loop.remove(bad)
      throw new Error('broken')
    },
  }
  const good = member(loop, 3)
  loop.add(bad)
  loop.add(good.paced, bad)
  await good.done
  assert.equal(failures.length, 1)
  assert.equal(failures[0]?.[0], bad)
  assert.match(String(failures[0]?.[1]), /broken/)
})

test('the event loop has its turn, sooner when somebody knocks, and at once when nothing is left to do', async () => {
  const { loop, door } = startLoop()
  const long = member(loop, 50)
  loop.add(long.paced)
  let turns = 0
  const count = (): void => {
    turns++
    knock(door)
    if (long.times.length < 40) setImmediate(count)
  }
  setImmediate(count)
  await long.done
  assert.ok(turns > 50, String(turns))
})
