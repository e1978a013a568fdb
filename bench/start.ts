import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, median, residentMegabytes, startChild } from './child.ts'

/**
 * How long the real program takes to its ready line, and what it holds in memory when nothing happens.
 * cold: nothing kept from earlier starts, empty data folder. first: sources compiled before, empty data folder, so that the demo account
 * is made. ready: every later start. npm: the same through `npm start` (when run by `npm run bench`).
 */
const root = join(import.meta.dirname, '..')
const bin = [join(root, 'bin/offhook.mjs'), 'serve']
const runs = 9
const idleAfterMs = 3_000

interface Start {
  ms: number
  cpuMs: number
  residentMb: number
}

const start = async (args: string[], data: string, environment: Record<string, string> = {}, waitMs = 0): Promise<Start> => {
  const begun = performance.now()
  const child = await startChild(args, { OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_DATA: data, ...environment })
  const ms = performance.now() - begun
  const cpuMs = cpuSeconds(child.pid) * 1000
  if (waitMs > 0) await sleep(waitMs)
  const residentMb = residentMegabytes(child.pid)
  await child.stop()
  return { ms, cpuMs, residentMb }
}

const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'offhook-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const medians = async (work: () => Promise<Start>): Promise<{ ms: number; cpuMs: number }> => {
  const starts: Start[] = []
  for (let run = 0; run < runs; run++) starts.push(await work())
  return { ms: Math.round(median(starts.map(({ ms }) => ms))), cpuMs: Math.round(median(starts.map(({ cpuMs }) => cpuMs))) }
}

const cold = await medians(() => inFolder((data) => start(bin, data, { NODE_DISABLE_COMPILE_CACHE: '1' })))
const first = await medians(() => inFolder((data) => start(bin, data)))
const later = await inFolder(async (data) => {
  await start(bin, data)
  const ready = await medians(() => start(bin, data))
  const npm = process.env.npm_execpath
  const throughNpm = npm === undefined ? undefined : await medians(() => start([npm, 'start', '--silent', '--prefix', root], data))
  const { residentMb } = await start(bin, data, {}, idleAfterMs)
  return { readyMs: ready.ms, readyCpuMs: ready.cpuMs, ...(throughNpm && { npmMs: throughNpm.ms }), idleResidentMb: residentMb }
})
console.log(JSON.stringify({ bench: 'start', runs, coldMs: cold.ms, coldCpuMs: cold.cpuMs, firstMs: first.ms, ...later }))
