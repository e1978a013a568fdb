import { readdir, readFile, statfs } from 'node:fs/promises'
import { constants, monitorEventLoopDelay, performance, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { Histogram } from '#core/operate/metrics/families/distribution.ts'
import { collectionBounds } from '#core/operate/metrics/families/bounds.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'

/** What the process costs, without any timer or observer. */
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

/** Often enough for a lag that a caller could notice; it takes half a thousandth of a processor. */
const resolution = 100
/** Who reads more often gets the same figure: several may read. */
const lagIntervalMs = 10_000

/** How late the main thread is, and how long its collections of garbage take; measured from the first reading on, so that nobody pays who does not read. */
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

/** The disk on which the data folder is. */
export const diskSamples = (folder: string) => async (): Promise<Sample[]> => {
  const { bsize, blocks, bavail } = await statfs(folder)
  return [
    { name: 'offhook_data_size_bytes', value: blocks * bsize },
    { name: 'offhook_data_free_bytes', value: bavail * bsize },
  ]
}

/** Open files are left out where there is no such folder; Linux and Macs have it. How many there may be only Linux tells. */
export const openFileSamples = async (): Promise<Sample[]> => {
  const open = await readdir('/dev/fd')
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => undefined)
  return [{ name: 'process_open_fds', value: open.length - 1 }, ...(limits === undefined ? [] : [maxFiles(limits)])]
}

const maxFiles = (limits: string): Sample => {
  const [, most] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return { name: 'process_max_fds', value: most === undefined ? Infinity : Number(most) }
}
