import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columns, Levels } from './levels.ts'

test('aligns bunched frames; shows a pause as a gap', () => {
  let now = 100_000
  const levels = new Levels(() => now)
  for (let heap = 0; heap < 5; heap++) {
    for (let frame = 0; frame < 3; frame++) levels.note('caller', 0.5)
    now += 60
  }
  now += 2_000
  levels.note('caller', 1)
  now += 300
  const seen = [...levels.read('caller')]
  const first = seen.indexOf(0.5)
  assert.equal(seen.length, columns)
  assert.deepEqual(seen.slice(first, first + 16), [...Array.from({ length: 15 }, () => 0.5), 0])
  assert.equal(seen.filter((loudness) => loudness > 0).length, 16)
  assert.ok(levels.read('assistant').every((loudness) => loudness === 0))
})
