import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from './virtual-clock.ts'

const sleepOn = (clock: VirtualClock, ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))

test('time stands still until it is advanced', async () => {
  const clock = new VirtualClock(1000)
  assert.equal(clock.now(), 1000)
  await clock.advance(250)
  assert.equal(clock.now(), 1250)
  assert.equal(new VirtualClock().now(), Date.UTC(2026, 10, 15))
})

test('due tasks run in the order of their times, equal times in the order of asking, each at its own time', async () => {
  const clock = new VirtualClock(0)
  const log: string[] = []
  clock.after(30, () => log.push(`c@${clock.now()}`))
  clock.after(10, () => log.push(`a@${clock.now()}`))
  clock.after(10, () => log.push(`b@${clock.now()}`))
  clock.after(31, () => log.push('too late'))
  await clock.advance(30)
  assert.deepEqual(log, ['a@10', 'b@10', 'c@30'])
  assert.equal(clock.pending(), 1)
})

test('a chain of waits runs through within one advance', async () => {
  const clock = new VirtualClock(0)
  const seen: number[] = []
  const chain = (async () => {
    for (let step = 0; step < 5; step++) {
      await sleepOn(clock, 100)
      await Promise.resolve()
      seen.push(clock.now())
    }
  })()
  await clock.advance(500)
  await chain
  assert.deepEqual(seen, [100, 200, 300, 400, 500])
  assert.equal(clock.pending(), 0)
})

test('a cancelled task does not run and is not pending', async () => {
  const clock = new VirtualClock()
  let runs = 0
  const cancel = clock.after(10, () => runs++)
  assert.equal(clock.pending(), 1)
  cancel()
  assert.equal(clock.pending(), 0)
  await clock.advance(100)
  assert.equal(runs, 0)
})

test('a failing task fails the advance, and misuse is refused', async () => {
  const clock = new VirtualClock()
  clock.after(1, () => {
    throw new Error('the task failed')
  })
  await assert.rejects(clock.advance(5), /the task failed/)
  await assert.rejects(clock.advance(-1), RangeError)
  const first = clock.advance(5)
  await assert.rejects(clock.advance(5), /already being advanced/)
  await first
})

test('a jump runs what fell due, at the time where it ends', async () => {
  const clock = new VirtualClock(0)
  const seen: number[] = []
  const again = (): void => {
    seen.push(clock.now())
    clock.after(10, again)
  }
  clock.after(10, again)
  await clock.jump(1_000)
  assert.deepEqual(seen, [1_000])
  await clock.advance(10)
  assert.deepEqual(seen, [1_000, 1_010])
})
