import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from './virtual-clock.ts'

const sleepOn = (clock: VirtualClock, ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))

test('keeps the time until it is advanced', async () => {
  const clock = new VirtualClock(1000)
  assert.equal(clock.now(), 1000)
  await clock.advance(250)
  assert.equal(clock.now(), 1250)
  assert.equal(new VirtualClock().now(), Date.UTC(2026, 10, 15))
})

test('runs due tasks in order of time, equal times in order of scheduling, each at its own time', async () => {
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

test('runs a chain of waits within one advance', async () => {
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

test('does not run a cancelled task or count it as pending', async () => {
  const clock = new VirtualClock()
  let runs = 0
  const cancel = clock.after(10, () => runs++)
  assert.equal(clock.pending(), 1)
  cancel()
  assert.equal(clock.pending(), 0)
  await clock.advance(100)
  assert.equal(runs, 0)
})

test('fails the advance when a task fails, and rejects misuse', async () => {
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

test('runs tasks that fell due during a jump at its end time', async () => {
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
