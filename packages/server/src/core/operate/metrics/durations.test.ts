import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Durations } from './durations.ts'

const near = (found: number | undefined, wanted: number): void =>
  assert.ok(found !== undefined && Math.abs(found - wanted) <= wanted * 0.05, `${found} instead of ${wanted}`)

test('keeps quantiles within five percent, from milliseconds to minutes', () => {
  for (const scale of [1, 10, 1_000]) {
    const durations = new Durations()
    for (let n = 1; n <= 100; n++) durations.add(n * scale)
    near(durations.quantile(0.5), 50 * scale)
    near(durations.quantile(0.95), 95 * scale)
    near(durations.quantile(1), 100 * scale)
    near(durations.totalMs, 5050 * scale)
    assert.equal(durations.size, 100)
  }
})

test('appends other histograms directly', () => {
  const [all, morning, noon] = [new Durations(), new Durations(), new Durations()]
  for (let n = 1; n <= 99; n++) morning.add(100)
  noon.add(5_000)
  for (const each of [morning, noon, new Durations()]) all.append(each)
  near(all.quantile(0.95), 100)
  near(all.quantile(1), 5_000)
  assert.equal(all.size, 100)
})

test('handles empty, very small and very large input', () => {
  const durations = new Durations()
  assert.equal(durations.quantile(0.5), undefined)
  durations.add(0.2)
  assert.equal(durations.quantile(0.5), 0.5)
  durations.add(-1)
  durations.add(Infinity)
  near(durations.quantile(1), 600_000)
  assert.equal(durations.within(1), 2)
})

test('merges several histograms, including serialised ones', () => {
  const [one, other, both] = [new Durations(), new Durations(), new Durations()]
  for (let n = 1; n <= 90; n++) one.add(10)
  for (let n = 1; n <= 10; n++) other.add(2_000)
  for (const each of [one, other]) both.merge(JSON.parse(JSON.stringify(each.saved())) as ReturnType<Durations['saved']>)
  near(both.quantile(0.5), 10)
  near(both.quantile(0.95), 2_000)
  assert.equal(both.size, 100)
})
