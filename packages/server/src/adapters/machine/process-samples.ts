import { readdir, readFile, statfs } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { constants, monitorEventLoopDelay, performance, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { Histogram } from '#core/operate/metrics/families/distribution.ts'
import { collectionBounds } from '#core/operate/metrics/families/table.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { NodeWork } from '#core/kernel/ports/store/operate.ts'
import type { Isolate } from '#core/operate/metrics/memory-watch.ts'
import { ownMemory, runningThreads } from '#media/thread/thread.ts'

/** Cost of the process, without any timer or observer. */
export const processSamples = (version: string): (() => Sample[]) => {
  const startedAt = performance.timeOrigin / 1000
  return () => {
    const { user, system } = process.cpuUsage()
    const resident = process.memoryUsage.rss()
    return [
      { name: 'offhook_build_info', labels: { version, node: process.versions.node }, value: 1 },
      { name: 'process_start_time_seconds', value: startedAt },
      { name: 'process_cpu_seconds_total', value: (user + system) / 1e6 },
      { name: 'process_resident_memory_bytes', value: resident },
      { name: 'offhook_resident_bytes', value: resident },
      { name: 'nodejs_eventloop_busy_seconds_total', value: performance.eventLoopUtilization().active / 1000 },
    ]
  }
}

/** Milliseconds; short enough for a lag that a caller could notice. Costs half a thousandth of a processor. */
const resolution = 100
/** More frequent readings get the same value: there may be several readers. */
const lagIntervalMs = 10_000

/**
 * Lag of the main thread, and duration of its garbage collections; measured from the first reading on, so that it costs nothing without
 * readers.
 */
export const watchMainThread = (): { samples: () => Sample[]; close(): Promise<void> } => {
  const delay = monitorEventLoopDelay({ resolution })
  let lag = 0
  let readAt = performance.now()
  const readLag = (): number => {
    if (delay.enable() || (performance.now() - readAt < lagIntervalMs && lag > 0)) return lag
    lag = delay.count === 0 ? lag : Math.max(0, delay.percentile(99) / 1e9 - resolution / 1000)
    readAt = performance.now()
    delay.reset()
    return lag
  }
  const collections = watchCollections()
  return {
    samples: () => [{ name: 'nodejs_eventloop_lag_p99_seconds', value: readLag() }, ...collections.samples()],
    async close() {
      delay.disable()
      collections.close()
    },
  }
}

const kinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak'],
])

type Collection = PerformanceEntry & { detail: { kind: number } }

const watchCollections = (): { samples: () => Sample[]; close(): void } => {
  const byKind = new Map([...kinds.values()].map((kind) => [kind, new Histogram(collectionBounds)]))
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as Collection[]) byKind.get(kinds.get(detail.kind) ?? '')?.add(duration / 1000)
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    samples: () => [...byKind].map(([kind, value]): Sample => ({ name: 'nodejs_gc_duration_seconds', labels: { kind }, value })),
    close: () => observer.disconnect(),
  }
}

/** Disk of the data folder. */
export const diskSamples = (folder: string) => async (): Promise<Sample[]> => {
  const { bsize, blocks, bavail } = await statfs(folder)
  return [
    { name: 'offhook_data_size_bytes', value: blocks * bsize },
    { name: 'offhook_data_free_bytes', value: bavail * bsize },
  ]
}

/** Left out on systems without this folder; Linux and macOS have it. Only Linux reports the limit. */
export const openFileSamples = async (): Promise<Sample[]> => {
  const open = await readdir('/dev/fd')
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => undefined)
  return [{ name: 'process_open_fds', value: open.length - 1 }, ...(limits === undefined ? [] : [maxFiles(limits)])]
}

const maxFiles = (limits: string): Sample => {
  const [, most] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return { name: 'process_max_fds', value: most === undefined ? Infinity : Number(most) }
}

type ProcessLoad = Pick<NodeWork, 'processors' | 'busy' | 'memoryBytes'>

/** Load of this process; each reading covers the time since the previous one. */
export const processLoad = (): (() => ProcessLoad) => {
  const read = readUse()
  return () => {
    const { processors, loop } = read()
    return { processors: hundredths(processors), busy: hundredths(loop), memoryBytes: process.memoryUsage.rss() }
  }
}

/** Shares, 0 to 1, since the previous reading: how long the main thread was at work, and how much of all processors this process had. */
export const busyShares = (): (() => { loop: number; processors: number }) => {
  const all = availableParallelism()
  const read = readUse()
  return () => {
    const { processors, loop } = read()
    return { loop, processors: processors / all }
  }
}

/** Since the previous reading: processors that this process had, and the share of time in which its main thread was at work. */
const readUse = (): (() => { processors: number; loop: number }) => {
  let cpu = process.cpuUsage()
  let at = performance.now()
  let loop = performance.eventLoopUtilization()
  return () => {
    const [lastCpu, lastAt, lastLoop] = [cpu, at, loop]
    cpu = process.cpuUsage()
    at = performance.now()
    loop = performance.eventLoopUtilization()
    const usedMs = (cpu.user - lastCpu.user + cpu.system - lastCpu.system) / 1000
    return {
      processors: usedMs / Math.max(at - lastAt, 1),
      loop: performance.eventLoopUtilization(loop, lastLoop).utilization,
    }
  }
}

const hundredths = (value: number): number => Math.round(value * 100) / 100

/** Every JavaScript thread of this process; the main one is the first. */
export const isolates = (): Isolate[] => [
  { thread: 'main', id: 0, ...ownMemory() },
  ...runningThreads().map((thread) => ({ thread: thread.name, id: thread.id, ...thread.memory() })),
]
