import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate, simulateSplit, type LoadOptions } from '#test/simulation/simulate.ts'

const small: LoadOptions = { seed: 1, processes: 45, regions: ['a', 'b', 'c'], calls: 600, callsPerSecond: 10, phones: 2_000 }

for (const seed of [1, 2, 3])
  test(`loses no call and has one owner for each when a process and then a region is lost (seed ${seed})`, async () => {
    const { killed, region, stalled, steady, ...report } = await simulate({ ...small, seed })
    assert.deepEqual([report.twoOwners, report.orphans, report.failures], [0, 0, {}])
    for (const loss of [killed, region]) {
      assert.deepEqual([loss.lost, loss.noticed], [0, 1])
      assert.ok((loss.noticedMs?.last ?? Infinity) <= 1_400, `${loss.noticedMs?.last} ms`)
      assert.ok((loss.takeoverMs?.max ?? Infinity) <= 5_000, `${loss.takeoverMs?.max} ms`)
    }
    assert.ok((steady.heardPerProcess['beat'] ?? 0) + (steady.heardPerProcess['alive'] ?? 0) <= 50)
    assert.ok(stalled.maxDoubleMs <= 200, `${stalled.maxDoubleMs} ms`)
  })

test('loses no call when the bus loses one message in a hundred', async () => {
  const { killed, region, orphans } = await simulate({ ...small, processes: 30, lossPerMille: 10 })
  assert.deepEqual([killed.lost, region.lost, orphans], [0, 0, 0])
})

test('loses no call when a region is cut off from the others and the database for 40 s', async () => {
  const { calls, orphans } = await simulateSplit({ ...small, processes: 30 })
  assert.ok(calls > 100)
  assert.equal(orphans, 0)
})

test('gives the same result for the same seed', async () => {
  const tiny: LoadOptions = { ...small, processes: 12, calls: 100 }
  assert.deepEqual(await simulate(tiny), await simulate(tiny))
})
