// test: own process, real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summariseLateness, wake, PacedLoop, type LoopTime, type Paced } from './paced-loop.ts'

/** Its time passes while it sleeps, and by `lateMs` with each reading of the clock. */
const startLoop = ({ lateMs = 0, receivesByEvents = false, awaitsEvents = () => false, asleep = () => {}, ...input }: LoopRequest = {}) => {
  const failures: [Paced, unknown][] = []
  const door = new SharedArrayBuffer(4)
  let now = 0
  const time: LoopTime = {
    now: () => (now += lateMs),
    sleep(_door, _seen, ms) {
      now += ms
      asleep(door)
    },
  }
  const failed = (paced: Paced, error: unknown): void => void failures.push([paced, error])
  const loop = new PacedLoop({ receive() {}, failed, door, receivesByEvents, awaitsEvents, time, ...input })
  return { loop, failures, pass: (ms: number) => (now += ms) }
}

interface LoopRequest {
  lateMs?: number
  receivesByEvents?: boolean
  awaitsEvents?: () => boolean
  asleep?: (door: SharedArrayBuffer) => unknown
  late?: SharedArrayBuffer
}

/** Has this number of turns, then leaves. */
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

test('gives every member a turn every 20 ms, in a frame of its own', async () => {
  const { loop } = startLoop({ lateMs: 0.01 })
  const members = Array.from({ length: 30 }, () => member(loop, 10))
  for (const { paced } of members) loop.add(paced)
  await Promise.all(members.map(({ done }) => done))
  for (const { times, frames } of members) {
    assert.equal(Math.round(times.at(-1)! - times[0]!), 9 * 20)
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

test('spreads members over the 20 ms, and keeps one added with another in the same slot', async () => {
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

test('reports a turn that throws, and continues with the others', async () => {
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

test('counts turns whose packets leave ten milliseconds late in shared memory', async () => {
  const late = new SharedArrayBuffer(4)
  const { loop, pass } = startLoop({ late, asleep: () => [2, 4].includes(frames.length) && pass(frames.length === 2 ? 30 : 5) })
  const { paced, frames, done } = member(loop, 6)
  loop.add(paced)
  await done
  assert.deepEqual([...new Uint32Array(late)], [1])
})

test('skips frames missed during a stall', async () => {
  const { loop, pass } = startLoop({ asleep: () => frames.length === 2 && pass(1000) })
  const { paced, frames, done } = member(loop, 3)
  loop.add(paced)
  await done
  assert.deepEqual(frames.slice(0, 2), [0, 1])
  assert.ok(frames[2]! >= 50, frames.join())
})

const turnsWithin = async (loop: PacedLoop, times: number): Promise<number> => {
  const { paced, done } = member(loop, times)
  loop.add(paced)
  let turns = 0
  let ended = false
  const count = (): void => {
    turns++
    if (!ended) setImmediate(count)
  }
  setImmediate(count)
  await done
  ended = true
  return turns
}

test('yields to the event loop ten times a second, every 20 ms when awaited, sooner after a wake-up or for packets by events', async () => {
  const near = (turns: number, wanted: number): void => assert.ok(Math.abs(turns - wanted) <= 2, `${turns} instead of ${wanted}`)
  near(await turnsWithin(startLoop().loop, 51), 10)
  near(await turnsWithin(startLoop({ awaitsEvents: () => true }).loop, 51), 50)
  near(await turnsWithin(startLoop({ asleep: wake }).loop, 51), 250)
  near(await turnsWithin(startLoop({ receivesByEvents: true }).loop, 51), 250)
})

test('wake() wakes a sleeping loop', async () => {
  const door = new SharedArrayBuffer(4)
  const loop = new PacedLoop({ receive() {}, failed: (_paced, error) => assert.fail(String(error)), door, receivesByEvents: false })
  const { paced, done } = member(loop, 2)
  loop.add(paced)
  setImmediate(() => wake(door))
  await done
})
