import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LoopTurns } from './admission.ts'

/** Counts the turns of the event loop. */
const countTurns = (t: { after: (end: () => void) => void }) => {
  let turns = 0
  let counting: NodeJS.Immediate
  const count = (): void => {
    turns++
    counting = setImmediate(count)
  }
  counting = setImmediate(count)
  t.after(() => clearImmediate(counting))
  return () => turns
}

test('runs one slice in each turn of the event loop', async (t) => {
  const turnsOf = countTurns(t)
  const turns = new LoopTurns()
  const seen = await Promise.all(Array.from({ length: 10 }, () => turns.slice('a').then(turnsOf)))
  assert.equal(new Set(seen).size, 10)
})

test('alternates slices between accounts, regardless of their queue lengths', async () => {
  const turns = new LoopTurns()
  const order: string[] = []
  const slices = [...Array.from({ length: 45 }, (_, nth) => `a${nth}`), 'b0', 'b1', 'c0']
  await Promise.all(slices.map((name) => turns.slice(name.charAt(0)).then(() => order.push(name))))
  assert.deepEqual(order.slice(0, 6), ['a0', 'b0', 'c0', 'a1', 'b1', 'a2'])
})

test('starts a small request immediately while the turn has capacity', () => {
  const turns = new LoopTurns()
  let started = 0
  for (let nth = 0; nth < 8; nth++) turns.start('a', () => started++)
  assert.equal(started, 8)
})

test('starts at most eight small requests per turn, then alternates between accounts', async () => {
  const turns = new LoopTurns()
  const order: string[] = []
  for (let nth = 0; nth < 20; nth++) turns.start('a', () => order.push(`a${nth}`))
  turns.start('b', () => order.push('b0'))
  assert.equal(order.length, 8)
  await nextTurn()
  assert.equal(order.length, 16)
  assert.equal(order[9], 'b0')
  await nextTurn()
  assert.equal(order.length, 21)
})

test('delays no request after an idle period, whatever was started before', async () => {
  const turns = new LoopTurns()
  let started = 0
  for (let nth = 0; nth < 100; nth++) {
    turns.start('a', () => started++)
    assert.equal(started, nth + 1)
    await nextTurn()
  }
})
