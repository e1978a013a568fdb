import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { Admission, type NewcomerOptions, type Newcomer } from './admission.ts'
import type { LoadReadings, Pressure } from './load-pressure.ts'

const quiet: Omit<LoadReadings, 'busy'> = { media: () => ({ turns: 0, late: 0 }), recogniserWaitMs: () => 0, databaseMs: () => undefined }

/** A process with one thread: whatever is due waits until the work before it is done. */
class BusyProcess {
  nowMs = 0
  running = 50
  readings: Omit<LoadReadings, 'busy'> & { processors?: number } = quiet
  readonly overloads: Pressure[] = []
  readonly reliefs: { seconds: number; calls: number; requests: number }[] = []
  readonly admission = new Admission({
    clock: {
      elapsed: () => this.nowMs,
      after: (ms, task) => {
        const timer = { at: this.nowMs + ms, task }
        this.#timers.add(timer)
        return () => void this.#timers.delete(timer)
      },
    },
    readings: {
      busy: () => this.#busy(),
      media: () => this.readings.media(),
      recogniserWaitMs: () => this.readings.recogniserWaitMs(),
      databaseMs: () => this.readings.databaseMs(),
    },
    calls: () => this.running,
    onOverload: (pressure) => this.overloads.push(pressure),
    onRelief: (past) => this.reliefs.push(past),
    random: () => 0.5,
  })
  #workedMs = 0
  #busySince = 0
  readonly #timers = new Set<{ at: number; task: () => void }>()

  get timers(): number {
    return this.#timers.size
  }

  #busy(): { loop: number; processors: number } {
    const loop = Math.min(1, this.#workedMs / Math.max(1, this.nowMs - this.#busySince))
    this.#workedMs = 0
    this.#busySince = this.nowMs
    return { loop, processors: this.readings.processors ?? 1 }
  }

  /** Runs work that takes `ms` of the thread. */
  work(ms: number): void {
    this.nowMs += ms
    this.#workedMs += ms
  }

  /** Time passes in turns as those of an event loop: due timers first, then at most 32 of the milliseconds in which somebody may come. */
  run(ms: number, arrive: (atMs: number) => void = () => {}): void {
    const end = this.nowMs + ms
    for (let at = this.nowMs; at < end;) {
      this.nowMs = Math.max(this.nowMs, at)
      this.#runTimers()
      for (let messages = 0; at < end && at <= this.nowMs && messages < 32; messages++) arrive(at++)
    }
    this.nowMs = Math.max(this.nowMs, end)
  }

  #runTimers(): void {
    for (const timer of [...this.#timers].filter((one) => one.at <= this.nowMs).toSorted((a, b) => a.at - b.at)) {
      this.#timers.delete(timer)
      timer.task()
    }
  }

  admits(what: Newcomer = 'call', options?: NewcomerOptions): boolean {
    return this.admission.rejects(what, options) === undefined
  }
}

/** Offers calls that cost `costMs` of the thread each; returns those admitted, rejected, and the waits of the admitted ones. */
const offer = (process: BusyProcess, ms: number, { perSecond, costMs }: { perSecond: number; costMs: number }) => {
  const waitsMs: number[] = []
  let rejected = 0
  let due = 0
  process.run(ms, (at) => {
    for (due += perSecond / 1000; due >= 1; due--) {
      if (!process.admits()) rejected++
      else {
        process.work(costMs)
        waitsMs.push(process.nowMs - at)
      }
    }
  })
  const p95 = waitsMs.toSorted((a, b) => a - b)[Math.floor(waitsMs.length * 0.95)] ?? 0
  return { admitted: waitsMs.length, rejected, p95 }
}

test('admits everything while nothing is slow', () => {
  const process = new BusyProcess()
  assert.deepEqual(offer(process, 10_000, { perSecond: 50, costMs: 2 }), { admitted: 500, rejected: 0, p95: 2 })
  assert.deepEqual(process.overloads, [])
})

test('keeps the set-up of admitted calls short at three times the load, and uses the machine', () => {
  const process = new BusyProcess()
  offer(process, 5_000, { perSecond: 80, costMs: 10 })
  assert.equal(process.admission.overloaded, false, 'four fifths of the thread')
  const { admitted, rejected, p95 } = offer(process, 30_000, { perSecond: 300, costMs: 10 })
  assert.ok(p95 <= 300, `95 of 100 waited at most ${p95} ms`)
  assert.ok(admitted >= 30 * 100 * 0.6, `${admitted} calls were admitted of 3,000 that fit`)
  assert.ok(rejected > 5_000)
  assert.deepEqual(
    process.overloads.map(({ by }) => by),
    ['loop'],
    'it is reported once',
  )
  process.run(5_000)
  assert.equal(process.admission.overloaded, false, 'it is over within five seconds')
  assert.equal(process.reliefs.length, 1)
  assert.equal(process.reliefs[0]?.calls, rejected)
  assert.deepEqual(offer(process, 10_000, { perSecond: 50, costMs: 10 }).rejected, 0)
})

test('rejects the rest of a burst that arrives in one turn', () => {
  const process = new BusyProcess()
  process.run(1_000, () => void process.admits('request'))
  let admitted = 0
  for (let i = 0; i < 200; i++)
    if (process.admits()) {
      process.work(10)
      admitted++
    }
  assert.ok(admitted < 60, `${admitted} of 200 are in the way of each other`)
})

test('admits emergency calls in every overload, and leaves less room to others', () => {
  const process = new BusyProcess()
  process.readings = { ...quiet, recogniserWaitMs: () => 5_000 }
  process.run(3_000, () => void process.admits())
  for (let i = 0; i < 50; i++) assert.ok(process.admits('call', { isEmergency: () => true }))
  process.run(1_000)
  assert.equal(process.admits('call', { isEmergency: () => false }), false)
})

test('never rejects one of four calls, but the rest of a burst', () => {
  const process = new BusyProcess()
  process.readings = { ...quiet, recogniserWaitMs: () => 5_000 }
  process.run(3_000, () => void process.admits())
  process.running = 0
  const admitted = Array.from({ length: 10 }, () => process.admits())
  assert.deepEqual(admitted, [true, true, true, true, false, false, false, false, false, false])
  process.run(2_000)
  process.running = 3
  assert.deepEqual([process.admits(), process.admits()], [true, false])
})

test('looks for emergency numbers only during an overload', () => {
  const process = new BusyProcess()
  assert.ok(process.admits('call', { isEmergency: () => assert.fail('it was looked up') }))
})

test('lets no newcomer use room twice, first without and then with credentials', () => {
  const process = new BusyProcess()
  process.readings = { ...quiet, recogniserWaitMs: () => 400 }
  process.run(700, () => void process.admits('call', { isFinal: false }))
  assert.ok(process.admission.overloaded)
  process.run(30_000)
  assert.ok(process.admits('call', { isFinal: false }))
  assert.ok(process.admits('call', { isFinal: true }))
  assert.equal(process.admits('call', { isFinal: true }), false)
})

test('cuts registrations more than calls, and rejects none of both for ever', () => {
  const process = new BusyProcess()
  process.readings = { ...quiet, media: () => ({ turns: 100, late: 50 }) }
  const admitted = { call: 0, request: 0 }
  process.run(60_000, () => {
    for (const what of ['call', 'request'] as const) if (process.admits(what)) admitted[what]++
  })
  const counted = process.admission.shed.map(({ what, by }) => `${what} ${by}`)
  assert.deepEqual(counted.toSorted(), ['call media', 'request media'])
  const late = { ...admitted }
  process.run(60_000, () => {
    for (const what of ['call', 'request'] as const) if (process.admits(what)) admitted[what]++
  })
  assert.ok(admitted.call - late.call >= 5, 'a call every ten seconds')
  assert.ok(admitted.request - late.request >= 250, 'five phones a second')
})

test('asks callers to return after two to five seconds, and phones after five to fourteen', () => {
  const process = new BusyProcess()
  process.readings = { ...quiet, recogniserWaitMs: () => 5_000 }
  process.run(5_000, () => void process.admits())
  assert.equal(process.admission.rejects('call'), 4)
  while (process.admission.rejects('request') === undefined);
  assert.equal(process.admission.rejects('request'), 10)
})

test('takes a single pause, a slow statement or one late packet for no overload', () => {
  const process = new BusyProcess()
  process.run(10_000, (at) => {
    assert.ok(process.admits(), `at ${at}`)
    if (at % 1_000 === 500) process.work(60)
    process.readings = {
      media: () => ({ turns: 250, late: at % 7 === 0 ? 1 : 0 }),
      recogniserWaitMs: () => 0,
      databaseMs: () => (at % 500 < 100 ? 200 : 2),
    }
  })
  assert.deepEqual(process.overloads, [])
})

test('rejects nobody for delays that other programs cause', () => {
  const process = new BusyProcess()
  process.readings = { ...quiet, media: () => ({ turns: 250, late: 25 }), processors: 0.1 }
  process.run(20_000, (at) => {
    assert.ok(process.admits())
    if (at % 60 === 0) process.nowMs += 50
  })
  assert.deepEqual(process.overloads, [])
})

test('measures a database by how much slower than usual it is', () => {
  const process = new BusyProcess()
  process.readings = { ...quiet, databaseMs: () => 90 }
  process.run(5_000, () => assert.ok(process.admits()))
  process.readings = { ...quiet, databaseMs: () => 200 }
  process.run(3_000, () => void process.admits())
  assert.deepEqual(
    process.overloads.map(({ by }) => by),
    ['database'],
  )
})

test('measures nothing while there are neither calls nor newcomers', () => {
  const process = new BusyProcess()
  process.running = 0
  assert.equal(process.timers, 0)
  process.admits()
  process.run(3_000)
  assert.equal(process.timers, 1)
  process.run(5_000)
  assert.equal(process.timers, 0)
  process.admits()
  process.running = 1
  process.run(60_000)
  assert.equal(process.timers, 1)
  process.admission.close()
  assert.equal(process.timers, 0)
  process.admits()
  assert.equal(process.timers, 0)
})

test('recovers within five seconds after any course of measures, and never rejects an emergency call', () => {
  const step = fc.record({
    ms: fc.integer({ min: 1, max: 3_000 }),
    loopMs: fc.integer({ min: 0, max: 300 }),
    late: fc.integer({ min: 0, max: 50 }),
    recogniserMs: fc.integer({ min: 0, max: 3_000 }),
    databaseMs: fc.integer({ min: 0, max: 500 }),
    everyMs: fc.integer({ min: 1, max: 100 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (course) => {
      const process = new BusyProcess()
      for (const { ms, loopMs, late, recogniserMs, databaseMs, everyMs } of course) {
        process.readings = { media: () => ({ turns: 50, late }), recogniserWaitMs: () => recogniserMs, databaseMs: () => databaseMs }
        process.run(ms, (at) => {
          if (at % 200 === 0) process.work(loopMs)
          if (at % everyMs > 0) return
          process.admits()
          process.admits('request')
          assert.ok(process.admits('call', { isEmergency: () => true }))
        })
      }
      process.readings = { ...quiet, databaseMs: () => 0 }
      process.run(5_000)
      assert.equal(process.admission.overloaded, false)
      assert.equal(process.overloads.length, process.reliefs.length)
      assert.ok(process.admits())
    }),
    { numRuns: 200 },
  )
})
