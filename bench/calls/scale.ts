import { setTimeout as sleep } from 'node:timers/promises'
import { rounded } from '../shared/percentiles.ts'
import { processCpuMs } from '../shared/process-cpu.ts'
import { openScope } from '../shared/scope.ts'
import { measureSetUp, measureStanding } from '../side-by-side/measure.ts'
import { startOffhook } from '../side-by-side/offhook.ts'
import { fault, significant } from '../side-by-side/rounds.ts'

/**
 * Checks that the cost per call stays constant: CPU of the whole service per bridge with 10 to 1,000 bridges while both phones talk; loads beyond the
 * machine's capacity are reported and not counted. Also measures the idle service. `node bench/calls/scale.ts [concurrent calls …]`.
 */
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 100, 500, 1000]
if (counts.some((count) => !Number.isInteger(count) || count < 1 || count > 2000))
  throw new Error(`${process.argv.slice(2).join(' ')}: calls at once, whole numbers from 1 to 2000`)
const warmUp = 300
/** The last timers of a call expire 32 seconds after it. */
const restMs = 40_000
const idleMs = 20_000

const scope = openScope()

try {
  const offhook = await startOffhook(scope)
  const input = { service: offhook.numbers.bridged ?? '', events: true, bridged: true }
  await measureSetUp(offhook, { ...input, calls: warmUp, rate: 50 })
  const rows = []
  for (const calls of counts) {
    const round = await measureStanding(offhook, { ...input, calls })
    const cpuPercentPerCall = significant(round.figures.cpuPercentPerCall ?? NaN)
    rows.push({ calls, cpuPercentPerCall, notCounted: fault(round, Infinity), load: rounded(round.load) })
  }
  await sleep(restMs)
  const before = processCpuMs(offhook.pid)
  await sleep(idleMs)
  const idleCpuPercent = significant(((processCpuMs(offhook.pid) - before) / idleMs) * 100)
  const costs = rows.filter(({ notCounted }) => notCounted === undefined).map(({ cpuPercentPerCall }) => cpuPercentPerCall)
  const dearestToCheapest = significant(Math.max(...costs) / Math.min(...costs))
  console.log(JSON.stringify({ bench: 'scale', rows, dearestToCheapest, idleCpuPercent }))
} finally {
  await scope.end()
}
