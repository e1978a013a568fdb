import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startExchange } from '#test/service/exchange.ts'
import { cpuSeconds } from '../shared/child.ts'
import { rounded } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'
import { contacts, entries, prepareNoise, prepareQuiet, sockets, startEndpoint } from './office.ts'
import { carrier, figuresOf, measureInvites, measureRequests } from './probes.ts'

/**
 * Effect of one account that sends as fast as it may on another: lists, searches, exports, uploads, WebSockets, test runs and the lab, concurrently
 * with small requests of the quiet account and INVITEs of a carrier to its number. SQLite, one process, the default rate limits; load and service on the
 * same machine. `turnsCpu`: CPU time of the main thread per turn of the event loop, independent of other load on the machine. `starved`: share of the time
 * in which the main thread waited for a processor.
 * `npm run bench -- neighbour [seconds] [--only list]` (or history, search, export, upload, test run, lab, small, socket).
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } })
const seconds = Number(positionals[0] ?? 20)
const settleMs = 3_000
const goals = { ratio: 3, p99Ms: 100, inviteP99Ms: 50 }

/** Seconds that the main thread was runnable without a processor. */
const waitedSeconds = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9

const scope = openScope()
try {
  const endpoint = await startEndpoint(scope)
  const turnsFile = join(await temporaryFolder(scope), 'turns.json')
  const exchange = await startExchange(scope, {
    OFFHOOK_SPEECH: 'tones',
    OFFHOOK_EGRESS_ALLOW: endpoint,
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'watch-turns.ts')).href}`,
    TURNS_FILE: turnsFile,
  })
  await exchange.newTrunk(carrier)
  const noisy = await prepareNoise(scope, exchange, endpoint)
  const quiet = await prepareQuiet(exchange)
  const pid = exchange.program.child.pid ?? -1
  const takeTurns = async (): Promise<number[]> => {
    await rm(turnsFile, { force: true })
    exchange.program.child.kill('SIGUSR2')
    const text = await until('the turns', async () => (await readFile(turnsFile, 'utf8').catch(() => '')) || undefined, 60_000)
    return JSON.parse(text) as number[]
  }
  const measure = async (ms: number) => {
    await takeTurns()
    const before = { cpu: cpuSeconds(pid), waited: waitedSeconds(pid), at: performance.now() }
    const [requests, invites] = await Promise.all([
      measureRequests(exchange.http, quiet, ms),
      measureInvites(scope, exchange.sip, quiet, ms),
    ])
    const elapsed = (performance.now() - before.at) / 1000
    const cores = (cpuSeconds(pid) - before.cpu) / elapsed
    const starved = (waitedSeconds(pid) - before.waited) / elapsed
    return {
      requests: figuresOf(Object.values(requests.times).flat()),
      failed: requests.failed,
      each: Object.fromEntries(Object.entries(requests.times).map(([what, times]) => [what, figuresOf(times).p99])),
      invites: figuresOf(invites),
      turnsCpu: figuresOf(await takeTurns()),
      cores: rounded(cores, 2),
      starved: rounded(starved, 2),
      load: rounded(loadavg()[0] ?? NaN, 1),
    }
  }

  await measure(settleMs) // warm-up
  const before = await measure((seconds * 1000) / 2)
  const noise = fork(join(import.meta.dirname, 'noise.ts'), [JSON.stringify({ ...noisy, ...values })])
  scope.after(() => noise.kill('SIGKILL'))
  await once(noise, 'message')
  noise.send('begin')
  await pause(settleMs)
  const during = await measure(seconds * 1000)
  const counted = once(noise, 'message')
  noise.send('end')
  const [sent] = (await counted) as [Record<string, Record<string, number>>]
  console.log(
    JSON.stringify({
      bench: 'neighbour',
      contacts,
      entries,
      sockets,
      seconds,
      quiet: before,
      noisy: during,
      ratio: rounded(during.requests.p99 / before.requests.p99),
      noise: sent,
      goals,
    }),
  )
} finally {
  await scope.end()
}
