import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WayWatch } from './way-watch.ts'

test('asks after four seconds without a path, and again until there is one', () => {
  const waits: number[] = []
  let due: (() => void) | undefined
  let asked = 0
  const watch = new WayWatch(
    () => (asked += 1),
    (ms, work) => {
      waits.push(ms)
      due = work
      return () => (due = undefined)
    },
  )
  watch.lost()
  watch.lost()
  due?.()
  due?.()
  assert.deepEqual([waits, asked], [[4_000, 4_000, 4_000], 2])
  watch.found()
  assert.equal(due, undefined)
  watch.lost(500)
  assert.equal(waits.at(-1), 500)
})
