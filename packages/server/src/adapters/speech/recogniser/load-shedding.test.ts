import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadShedding, type Waiting } from './load-shedding.ts'

const sentence: Waiting = { engine: 'moonshine-base', samples: 24_000 }

const quick = 'moonshine-tiny'

const open = () => {
  let now = 0
  const changes: boolean[] = []
  const shedding = new LoadShedding(
    () => now,
    (active) => changes.push(active),
  )
  /** A question that has waited for so long. */
  const requires = (waitedMs: number, behind = 0, { precise = false, samples = sentence.samples, threads = 1 } = {}): boolean =>
    shedding.requires(
      { ...sentence, samples, quick, precise, askedAt: now - waitedMs },
      Array.from({ length: behind }, () => sentence),
      threads,
    )
  return { shedding, requires, changes, pass: (ms: number) => (now += ms) }
}

test('uses the quicker model only when the larger one would delay answers by more than 300 ms', () => {
  const { requires } = open()
  assert.equal(requires(0), false)
  assert.equal(requires(300), false)
  assert.equal(requires(301), true)
  assert.equal(requires(0, 3), false, 'four sentences of 3 s, each of which takes 70 ms more')
  assert.equal(requires(0, 4), true)
  assert.equal(requires(0, 4, { threads: 2 }), false)
  assert.equal(requires(0), false, 'nobody waits any more')
})

test('keeps expected answers and short sounds with the larger model under any load', () => {
  const { requires } = open()
  assert.equal(requires(5_000, 10, { precise: true }), false)
  assert.equal(requires(5_000, 10, { samples: 16_000 }), false)
  assert.equal(requires(5_000, 10, { samples: 16_001 }), true)
})

test('learns how slow the machine is', () => {
  const { shedding, requires } = open()
  for (let i = 0; i < 20; i++) shedding.took(420, sentence)
  assert.equal(requires(0, 2), true, 'each takes 140 ms more')
  for (let i = 0; i < 20; i++) shedding.took(105, sentence)
  assert.equal(requires(0, 4), false)
})

test('has time for a second answer while it comes within 400 ms', () => {
  const { shedding } = open()
  assert.equal(shedding.hasTimeFor(sentence, [], 1), true)
  assert.equal(shedding.hasTimeFor(sentence, [sentence], 1), false)
  assert.equal(shedding.hasTimeFor(sentence, [sentence], 2), true)
})

test('reports the end of the load after ten seconds without the quicker model', () => {
  const { requires, changes, pass } = open()
  requires(400)
  pass(9_999)
  requires(0)
  assert.deepEqual(changes, [true])
  pass(1)
  requires(0)
  assert.deepEqual(changes, [true, false])
})

/** Callers who each say a sentence of three seconds every eight seconds, one thread: seconds of virtual time. */
const simulate = (calls: number, speed: number, seconds: number): { tiny: number; turns: number } => {
  let now = 0
  let seed = 11
  const dice = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const shedding = new LoadShedding(
    () => now,
    () => {},
  )
  const rounds = Array.from({ length: Math.floor(seconds / 8) }, (_, nth) => 8_000 * nth)
  const asked = rounds.flatMap((at) => Array.from({ length: calls }, () => at + 8_000 * dice())).toSorted((a, b) => a - b)
  let tiny = 0
  const waiting: number[] = []
  for (let next = 0; next < asked.length || waiting.length > 0;) {
    if (waiting.length === 0) now = Math.max(now, asked[next]!)
    while (next < asked.length && asked[next]! <= now) waiting.push(asked[next++]!)
    const askedAt = waiting.shift()!
    const sheds = shedding.requires(
      { ...sentence, quick, askedAt, precise: false },
      waiting.map(() => sentence),
      1,
    )
    if (sheds) tiny++
    const ms = (sheds ? 140 : 210) * speed
    now += ms
    shedding.took(ms, { ...sentence, engine: sheds ? quick : 'moonshine-base' })
  }
  return { tiny, turns: asked.length }
}

test('hears less than 5 % with the quicker model below 4 calls, also on a machine half as fast, and sheds load above', () => {
  for (const speed of [1, 2])
    for (const calls of [2, 3]) {
      const { tiny, turns } = simulate(calls, speed, 2_000)
      assert.ok(tiny < 0.05 * turns, `${calls} calls, ${speed}: ${tiny} of ${turns}`)
    }
  const many = simulate(40, 1, 400)
  assert.ok(many.tiny > 0.3 * many.turns, `${many.tiny} of ${many.turns}`)
})
