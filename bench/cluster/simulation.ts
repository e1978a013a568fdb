import { simulate, simulateSplit } from '#test/simulation/simulate.ts'

/**
 * A cluster in virtual time: the product's heartbeats, leases, call records, takeover, shared state, trunk leases and refreshes on a simulated
 * bus and database. Three regions, 40 ms apart; one process is killed, then a whole region, then one stands still for four seconds.
 * `split`: with a tenth of the processes and calls, a region is cut off from the others and the database for 40 seconds.
 * `node bench/cluster/simulation.ts [processes] [calls] [calls per second] [phones] [seed]`.
 */
const [processes = 1_000, calls = 100_000, callsPerSecond = 500, phones = 1_000_000, seed = 1] = process.argv.slice(2).map(Number)

const regions = ['a', 'b', 'c']
const startedAt = performance.now()
const split = await simulateSplit({ seed, regions, processes: Math.ceil(processes / 10), calls: Math.ceil(calls / 10) })
const report = await simulate({ seed, processes, regions, calls, callsPerSecond, phones }, (phase) => {
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  process.stderr.write(`${phase} after ${seconds} s, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB\n`)
})
console.log(
  JSON.stringify({
    bench: 'simulation',
    processes,
    calls,
    callsPerSecond,
    phones,
    seed,
    ...report,
    split,
    took: { seconds: Math.round((performance.now() - startedAt) / 1_000), memoryMb: Math.round(process.memoryUsage.rss() / 2 ** 20) },
  }),
)
