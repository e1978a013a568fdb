import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadShedding } from './recogniser-thread.ts'

const open = (): { shedding: LoadShedding; at: (ms: number) => LoadShedding; changes: boolean[] } => {
  let now = 0
  const changes: boolean[] = []
  const shedding = new LoadShedding(
    () => now,
    (active) => changes.push(active),
  )
  const at = (ms: number): LoadShedding => {
    now = ms
    return shedding
  }
  return { shedding, at, changes }
}

test('a short wait does not shed load', () => {
  const { at, shedding, changes } = open()
  at(150).begins(0)
  assert.deepEqual([shedding.active, changes], [false, []])
})

test('a long wait sheds load until ten seconds pass without a wait', () => {
  const { at, shedding, changes } = open()
  at(1151).begins(1000)
  assert.equal(shedding.active, true)
  at(5000).waits()
  at(5100).begins(5000)
  assert.equal(at(14_999).active, true)
  assert.equal(at(15_000).active, false)
  assert.deepEqual(changes, [true, false])
})
