import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { npmInstall } from '#test/packages/npm.ts'
import { pack } from '../../release/pack.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { cpuSeconds, median, residentMegabytes, startChild } from '../shared/child.ts'
import { openScope } from '../shared/scope.ts'

/**
 * The published packages: file sizes, installation time (with a filled npm cache) and size, and time of the installed service to its ready line,
 * without speech. first: empty data folder. ready: every later start; both with a filled compile cache.
 */
const runs = 5
const scope = openScope()
const folder = await temporaryFolder(scope)
const megabytes = (path: string): number => Number(execFileSync('du', ['-sm', path], { encoding: 'utf8' }).split('\t')[0])
const middle = (values: number[]): number => Math.round(median(values))

const installed = async (name: string, files: string[]): Promise<{ seconds: number; mb: number }> => {
  const startedAt = performance.now()
  await npmInstall(join(folder, name), files)
  return { seconds: Math.round((performance.now() - startedAt) / 100) / 10, mb: megabytes(join(folder, name, 'node_modules')) }
}

const start = async (data: string): Promise<{ ms: number; cpuMs: number; residentMb: number }> => {
  await mkdir(data, { recursive: true })
  const settings = { OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_SPEECH: 'off', OFFHOOK_DATA: data }
  const startedAt = performance.now()
  const bin = join(folder, 'service/node_modules/offhook/bin/offhook.mjs')
  const child = await startChild([bin, 'serve'], { ...settings, XDG_CACHE_HOME: join(folder, 'cache') })
  const figures = { ms: performance.now() - startedAt, cpuMs: cpuSeconds(child.pid) * 1000, residentMb: residentMegabytes(child.pid) }
  await child.stop()
  return figures
}

const repeated = async <T>(work: (run: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = []
  for (let run = 0; run < runs; run++) results.push(await work(run))
  return results
}

try {
  const packed = await pack(join(folder, 'files'), { here: true })
  const files = packed.map(({ file }) => file)
  const service = await installed('service', files)
  const sdk = await installed(
    'sdk',
    files.filter((file) => /offhook-(contract|sdk)-/.test(file)),
  )
  await start(join(folder, 'warm'))
  const first = await repeated((run) => start(join(folder, `first-${run}`)))
  const ready = await repeated(() => start(join(folder, 'warm')))
  const line = {
    bench: 'packed',
    runs,
    tarballKb: Object.fromEntries(packed.map(({ file, bytes }) => [basename(file, '.tgz'), Math.round(bytes / 1000)])),
    service,
    sdk,
    firstMs: middle(first.map(({ ms }) => ms)),
    firstCpuMs: middle(first.map(({ cpuMs }) => cpuMs)),
    readyMs: middle(ready.map(({ ms }) => ms)),
    readyCpuMs: middle(ready.map(({ cpuMs }) => cpuMs)),
    residentMb: middle(ready.map(({ residentMb }) => residentMb)),
  }
  console.log(JSON.stringify(line))
} finally {
  await scope.end()
}
