import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate, simulateSplit, type LoadOptions } from '#test/simulation/simulate.ts'

const small: LoadOptions = { seed: 1, processes: 45, regions: ['a', 'b', 'c'], calls: 600, callsPerSecond: 10, phones: 2_000 }

for (const seed of [1, 2, 3])
  test(`loses no call and has at most one sender for each after a kill, the loss of a region and a stall (seed ${seed})`, async () => {
    const { killed, region, steady, ...report } = await simulate({ ...small, seed })
    assert.deepEqual(report, { doubles: 0, maxDoubleMs: 0, silences: 0, orphans: 0, failures: {} })
    for (const loss of [killed, region]) {
      assert.deepEqual([loss.lost, loss.noticed], [0, 1])
      assert.ok((loss.noticedMs?.last ?? Infinity) <= 1_400, `${loss.noticedMs?.last} ms`)
      assert.ok((loss.takeoverMs?.max ?? Infinity) <= 5_000, `${loss.takeoverMs?.max} ms`)
    }
    assert.ok((steady.heardPerProcess['beat'] ?? 0) + (steady.heardPerProcess['alive'] ?? 0) <= 60)
  })

test('loses no call when the bus loses one message in a hundred', async () => {
  const { killed, region, doubles, orphans } = await simulate({ ...small, processes: 30, lossPerMille: 10 })
  assert.deepEqual([killed.lost, region.lost, doubles, orphans], [0, 0, 0, 0])
})

const splits = [
  { cut: ['bus', 'database'], regions: ['a', 'b', 'c'], taken: true },
  { cut: ['bus'], regions: ['a', 'b', 'c'], taken: false },
  { cut: ['database'], regions: ['a', 'b', 'c'], taken: true },
  { cut: ['bus', 'database'], regions: ['a', 'b'], taken: true },
] as const

for (const { cut, regions, taken: isTaken } of splits)
  test(`loses no call and has at most one sender for each: one of ${regions.length} regions without ${cut.join(' and ')} for 40 s`, async () => {
    const { calls, taken, doubles, orphans } = await simulateSplit({ ...small, processes: 60, calls: 300, regions, cut })
    assert.ok(calls > 50)
    assert.deepEqual({ taken, doubles, orphans }, { taken: isTaken ? calls : 0, doubles: 0, orphans: 0 })
  })

test('gives the same result for the same seed', async () => {
  const tiny: LoadOptions = { ...small, processes: 12, calls: 100 }
  assert.deepEqual(await simulate(tiny), await simulate(tiny))
})
