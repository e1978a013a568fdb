import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimelineBook } from '../timeline/timeline-book.ts'
import { rowsOf, speechesOf, voicesOf } from './lab-rows.ts'

const found = { turns: [], interruptions: [], told: 0, falseInterruptions: 0, missed: 0 }
const turn = (startMs: number, endMs: number) => ({ startMs, endMs, decidedMs: endMs + 500, outcome: 'told' as const })

test('puts the call first, only if its live result is known', () => {
  const variant = { ...found, name: '500 ms', settings: {}, splits: 1, merged: 0 }
  assert.deepEqual(
    rowsOf({ live: { ...found, settings: {} }, variants: [variant, variant] }, 'In the call').map(({ key, name, splits }) => [
      key,
      name,
      splits,
    ]),
    [
      ['live', 'In the call', undefined],
      ['0', '500 ms', 1],
      ['1', '500 ms', 1],
    ],
  )
  assert.equal(rowsOf({ variants: [variant] }, '').length, 1)
})

test('counts speeches from the start of the recording', () => {
  const book = new TimelineBook()
  const base = { callId: 'c', flowId: 'f' }
  const spoke = { ...base, kind: 'spoke' as const, eventId: 'e', completed: true }
  book.add([
    { ...spoke, sequence: 1, at: 900, startedAt: 100, playedMs: 700 },
    { ...base, sequence: 2, at: 1000, kind: 'call', state: 'recording' },
    { ...spoke, sequence: 3, at: 1500, startedAt: 800, playedMs: 700 },
    { ...spoke, sequence: 4, at: 3000, startedAt: 2000, playedMs: 1000 },
  ])
  assert.deepEqual(speechesOf(book.picture()), [
    { fromMs: 0, toMs: 500 },
    { fromMs: 1000, toMs: 2000 },
  ])
  assert.deepEqual(speechesOf(undefined), [])
})

test("merges the caller's speech of several variants", () => {
  assert.deepEqual(voicesOf([{ turns: [turn(0, 100), turn(300, 400)] }, { turns: [turn(50, 320)] }, { turns: [turn(900, 950)] }]), [
    { fromMs: 0, toMs: 400 },
    { fromMs: 900, toMs: 950 },
  ])
})
