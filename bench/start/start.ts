import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { cpuSeconds, median, residentMegabytes, startChild } from '../shared/child.ts'
import { inScope } from '../shared/scope.ts'

/**
 * Time of the real program to its ready line, and its memory when idle.
 * cold: nothing cached from earlier starts, empty data folder. first: sources compiled before, empty data folder, so that the demo account
 * is created. ready: every later start. npm: the same through `npm start`.
 */
const root = join(import.meta.dirname, '../..')
const bin = [join(root, 'bin/offhook.mjs'), 'serve']
const runs = 9
const idleAfterMs = 3_000

interface Start {
  ms: number
  cpuMs: number
  residentMb: number
}

const start = async (args: string[], data: string, environment: Record<string, string> = {}, waitMs = 0): Promise<Start> => {
  const started = performance.now()
  const child = await startChild(args, { OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_DATA: data, ...environment })
  const ms = performance.now() - started
  const cpuMs = cpuSeconds(child.pid) * 1000
  if (waitMs > 0) await sleep(waitMs)
  const residentMb = residentMegabytes(child.pid)
  await child.stop()
  return { ms, cpuMs, residentMb }
}

/** npm and a shell sit between the bench and the program, so it ends the whole process group. */
const startThroughNpm = (data: string): Promise<number> =>
  inScope(async (scope) => {
    const started = performance.now()
    const env = { ...process.env, OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_DATA: data }
    const npm = spawn('npm', ['start', '--silent'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = once(npm, 'close')
    scope.after(() => {
      if (npm.pid !== undefined) process.kill(-npm.pid, 'SIGTERM')
      return ended
    })
    await once(npm.stdout, 'data')
    return performance.now() - started
  })

const inFolder = <T>(work: (folder: string) => Promise<T>): Promise<T> => inScope(async (scope) => work(await temporaryFolder(scope)))

const repeated = async <T>(work: () => Promise<T>): Promise<T[]> => {
  const results: T[] = []
  for (let run = 0; run < runs; run++) results.push(await work())
  return results
}

const middle = (values: number[]): number => Math.round(median(values))

const cold = await repeated(() => inFolder((data) => start(bin, data, { NODE_DISABLE_COMPILE_CACHE: '1' })))
const first = await repeated(() => inFolder((data) => start(bin, data)))
const figures = await inFolder(async (data) => {
  await start(bin, data)
  const ready = await repeated(() => start(bin, data))
  const throughNpm = await repeated(() => startThroughNpm(data))
  const { residentMb } = await start(bin, data, {}, idleAfterMs)
  return {
    readyMs: middle(ready.map(({ ms }) => ms)),
    readyCpuMs: middle(ready.map(({ cpuMs }) => cpuMs)),
    npmMs: middle(throughNpm),
    idleResidentMb: residentMb,
  }
})
const coldFigures = { coldMs: middle(cold.map(({ ms }) => ms)), coldCpuMs: middle(cold.map(({ cpuMs }) => cpuMs)) }
console.log(JSON.stringify({ bench: 'start', runs, ...coldFigures, firstMs: middle(first.map(({ ms }) => ms)), ...figures }))
