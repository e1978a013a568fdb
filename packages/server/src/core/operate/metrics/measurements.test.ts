import type { End, CallFacts } from '#core/kernel/ports/calls.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { MetricSample } from '#core/kernel/ports/store/operate.ts'
import { coarseStepMs, fineStepMs, Measurements } from './measurements.ts'
import { readMetrics } from './read-metrics.ts'

const facts = (callId: string, end?: End): CallFacts => ({
  callId,
  accountIds: [],
  from: undefined,
  to: '',
  startedAt: 0,
  answeredAt: undefined,
  endedAt: undefined,
  end,
  at: 0,
  trace: undefined,
  codecs: () => [],
})

/** Measurements of a process, and the table that stores them. */
const setUp = () => {
  const clock = new VirtualClock()
  const kept = new Map<string, MetricSample>()
  const keep = (measurements: Measurements, node: string) =>
    measurements.keep(node, async (samples) => {
      for (const sample of samples) kept.set(`${sample.stepMs} ${sample.at} ${sample.nodeId}`, structuredClone(sample))
      return samples.length
    })
  const list = async (stepMs: number, from: number, until: number) =>
    [...kept.values()].filter((one) => one.stepMs === stepMs && one.at >= from && one.at < until)
  const read = (minutes: number) => readMetrics({ list }, clock.now(), minutes)
  return { clock, keep, read, measurements: new Measurements(clock) }
}

test('counts calls, their setup and their failures in the span in which they happen', async () => {
  const { clock, keep, read, measurements } = setUp()
  measurements.changed(facts('a'), 'started')
  measurements.changed(facts('b'), 'started')
  await clock.advance(200)
  measurements.changed(facts('a'), 'ringing')
  await clock.advance(5_000)
  measurements.changed(facts('a'), 'answered')
  measurements.changed(facts('b', { by: 'network', reason: 'failed', cause: 'failed' }), 'ended')
  measurements.running(2)
  await keep(measurements, 'n')
  await clock.advance(5_000)
  measurements.changed(facts('a', { by: 'caller', reason: 'caller_hangup', cause: 'normal' }), 'ended')
  measurements.running(0)
  await keep(measurements, 'n')
  await clock.advance(16_000)
  const { stepMs, points } = await read(1)
  assert.deepEqual([stepMs, points.length], [fineStepMs, 6])
  const [first, second] = points.slice(-2).map(({ figures }) => figures)
  assert.ok(first && second)
  assert.deepEqual([first.callsStarted, first.callsAnswered, first.callsFailed, first.callsRunning], [2, 1, 1, 2])
  assert.deepEqual([second.callsStarted, second.callsAnswered, second.callsFailed, second.callsRunning], [0, 0, 0, 0])
  assert.equal(first.setUp.size, 1, 'ringing counts, not the answer; who got nowhere was not set up')
  assert.ok(Math.abs((first.setUp.quantile(0.5) ?? 0) - 200) <= 10)
})

test('counts turns, endpoints and requests, and merges several processes', async () => {
  const { clock, keep, read, measurements } = setUp()
  const other = new Measurements(clock)
  const turn = { turn: 1, vadEndMs: 1, endpointMs: 1, sttFinalMs: 1, decidedMs: 1 }
  measurements.turn({ ...turn, firstSoundMs: 800 })
  other.turn(turn) // no audible reply
  for (const one of [measurements, other]) {
    one.requested(3, 200)
    one.requested(40, 503)
    one.running(7)
    await keep(one, one === other ? 'other' : 'n')
  }
  await clock.advance(coarseStepMs + 6_000)
  const { stepMs, points } = await read(1440)
  assert.deepEqual([stepMs, points.length], [coarseStepMs, 288])
  const last = points.at(-1)?.figures
  assert.deepEqual([last?.turn.size, last?.http.size, last?.httpFailures, last?.callsRunning], [1, 4, 2, 14])
})

test('computes quantiles over all turns of a period and the maximum of concurrent calls', async () => {
  const { clock, keep, read, measurements } = setUp()
  const turn = { turn: 1, vadEndMs: 1, endpointMs: 1, sttFinalMs: 1, decidedMs: 1 }
  for (let n = 0; n < 99; n++) measurements.turn({ ...turn, firstSoundMs: 800 })
  measurements.running(5)
  await clock.advance(15 * 60_000)
  measurements.turn({ ...turn, firstSoundMs: 9_000 })
  measurements.running(3)
  await keep(measurements, 'n')
  await clock.advance(16_000)
  const { whole, points } = await read(60)
  assert.equal(points.filter(({ figures }) => figures.turn.size > 0).length, 2)
  assert.deepEqual([whole.turn.size, whole.callsRunning], [100, 5])
  assert.ok(Math.abs((whole.turn.quantile(0.95) ?? 0) - 800) <= 40)
})

test('writes no samples while idle, and keeps a limited number of unwritten ones', async () => {
  const { clock, keep, measurements } = setUp()
  assert.equal(await keep(measurements, 'n'), 0)
  for (let n = 0; n < 1_000; n++) {
    measurements.requested(1, 200)
    if (n % 50 === 49) await assert.rejects(measurements.keep('n', () => Promise.reject(new Error('away'))))
    await clock.jump(fineStepMs)
  }
  const written = await keep(measurements, 'n')
  assert.ok(written > 300 && written < 400, `${written}`)
  assert.equal(await keep(measurements, 'n'), 0)
})
