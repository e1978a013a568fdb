import { readdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'
import { runAsked } from '../shared/asked.ts'
import { openStage, type Stage } from '../shared/assistant-stage.ts'
import { rounded } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'
import { metricsToken, readMemory } from '../shared/service-memory.ts'
import type { Handles } from './handle-watch.ts'
import { startMixture, type Mixture } from './mixture.ts'
import { readOptions, type Options } from './options.ts'
import { broken, settled, slopes, type Reading } from './slopes.ts'

/**
 * Hours of mixed load: short calls to a phone and to an assistant, registrations, requests, all concurrently. Reads the service's resources every two
 * minutes: memory of the process and of every thread, open files, timers and other handles. See options.ts for the options.
 */
const intervalMs = 120_000
/** An ended call answers retransmissions for 32 seconds (RFC 3261); anything held longer is a leak. */
const restMs = 36_000
const megabyte = 2 ** 20

interface Watched {
  stage: Stage
  handles(): Promise<Handles>
}

const openWatched = async (scope: Scope): Promise<Watched> => {
  const file = join(await temporaryFolder(scope), 'handles.json')
  const stage = await openStage(
    ({ type, session }) =>
      type === 'session_start' ? { type: 'speak', session_id: session.id, text: 'good day', barge_in: { strategy: 'none' } } : undefined,
    {
      OFFHOOK_SPEECH: 'tones',
      OFFHOOK_LOG: 'error',
      OFFHOOK_METRICS_TOKEN: metricsToken,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'handle-watch.ts')}`,
      BENCH_HANDLE_WATCH: file,
    },
  )
  scope.after(() => stage.close())
  const handles = async (): Promise<Handles> => {
    await rm(file, { force: true })
    stage.exchange.program.child.kill('SIGUSR2')
    return JSON.parse(await until('the handles', () => readFile(file, 'utf8').catch(() => undefined))) as Handles
  }
  return { stage, handles }
}

/** Reads memory before the garbage collection for the other values. */
const read = async ({ stage, ...watched }: Watched, calls: number): Promise<Reading> => {
  const { resident, threads } = await readMemory(stage.exchange.http)
  const { retained, timers, handles } = await watched.handles()
  const heaps = Object.entries(threads).map(([thread, { heapUsed }]) => [`heap ${thread}`, heapUsed])
  return {
    calls,
    held: {
      resident,
      ...(Object.fromEntries(heaps) as Record<string, number>),
      retained: rounded(retained / megabyte, 2),
      descriptors: readdirSync(`/proc/${stage.pid}/fd`).length,
      threads: readdirSync(`/proc/${stage.pid}/task`).length,
      timers,
      handles,
    },
  }
}

const liveOn = async (watched: Watched, mixture: Mixture, minutes: number): Promise<Reading[]> => {
  const readings: Reading[] = []
  for (let minute = 2; minute <= minutes; minute += 2) {
    await mixture.liveFor(intervalMs - restMs)
    await sleep(restMs)
    const reading = await read(watched, mixture.done.bridged + mixture.done.assistant)
    readings.push(reading)
    console.error(JSON.stringify({ minute, load: loadavg()[0], ...reading, ...mixture.done }))
  }
  return readings
}

const run = async ({ minutes, limits }: Options): Promise<void> => {
  const scope = openScope()
  try {
    const watched = await openWatched(scope)
    const mixture = await startMixture(scope, watched.stage)
    const readings = await liveOn(watched, mixture, minutes)
    const growth = slopes(settled(readings))
    const faults = [...broken(growth, limits), ...(mixture.done.failed > 0 ? [`${mixture.done.failed} calls failed`] : [])]
    const [first, last] = [readings[0]?.held, readings.at(-1)?.held]
    console.log(
      JSON.stringify({
        bench: 'soak',
        minutes,
        ...mixture.done,
        first,
        last,
        perThousandCalls: growth,
        limits,
        passed: faults.length === 0,
        faults,
      }),
    )
    if (faults.length > 0) process.exitCode = 1
  } finally {
    await scope.end()
  }
}

await runAsked(() => run(readOptions(process.argv.slice(2))))
