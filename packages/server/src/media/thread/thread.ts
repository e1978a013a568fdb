import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { Worker, workerData } from 'node:worker_threads'

/** What one isolate holds, in bytes, and its time. `arrayBuffers` has what threads share, too, where it was made; `external` has not. */
export interface IsolateMemory {
  heapUsed: number
  heapTotal: number
  heapLimit: number
  external: number
  arrayBuffers: number
  /** Processor time that its thread has used, in seconds. */
  cpuSeconds: number
}

export interface RunningThread {
  name: string
  id: number
  /** As of a moment ago. */
  memory(): IsolateMemory
}

const figures = ['heapUsed', 'heapTotal', 'heapLimit', 'external', 'arrayBuffers', 'cpuSeconds'] as const
const notifyIntervalMs = 2_000
const megabyte = 2 ** 20
const running = new Map<Worker, RunningThread>()

export interface ThreadOptions {
  name: string
  workerData: object
  /** How much heap it may have, as a part of what the main thread may have. */
  heapShare: number
}

/** What its script has to do with it: `tellMemory()`. */
export const startThread = (script: URL, { name, workerData: data, heapShare }: ThreadOptions): Worker => {
  const page = new SharedArrayBuffer(8 * figures.length)
  const worker = new Worker(script, { workerData: { ...data, memoryPage: page }, name, resourceLimits: limits(heapShare) })
  running.set(worker, { name, id: worker.threadId, memory: () => readPage(page) })
  worker.once('exit', () => running.delete(worker))
  return worker
}

export const runningThreads = (): RunningThread[] => [...running.values()]

export const ownMemory = (): IsolateMemory => {
  const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
  const { user, system } = process.threadCpuUsage()
  return {
    heapUsed,
    heapTotal,
    heapLimit: getHeapStatistics().heap_size_limit,
    external,
    arrayBuffers,
    cpuSeconds: (user + system) / 1e6,
  }
}

/** In the thread: notes from now on what it holds, where the main thread can read it without asking. */
export const reportMemory = (): void => {
  const { memoryPage } = workerData as { memoryPage: SharedArrayBuffer }
  const page = new Float64Array(memoryPage)
  const notify = (): void => {
    const memory = ownMemory()
    figures.forEach((figure, place) => (page[place] = memory[figure]))
  }
  notify()
  setInterval(notify, notifyIntervalMs).unref()
}

const readPage = (buffer: SharedArrayBuffer): IsolateMemory => {
  const [heapUsed = 0, heapTotal = 0, heapLimit = 0, external = 0, arrayBuffers = 0, cpuSeconds = 0] = new Float64Array(buffer)
  return { heapUsed, heapTotal, heapLimit, external, arrayBuffers, cpuSeconds }
}

const minMegabytes = 32
const youngMegabytes = 16

const limits = (share: number): { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number } => {
  // Limits from the command line are for every isolate that is made from then on and would go before these.
  for (const flag of ['--max-old-space-size=0', '--max-semi-space-size=0']) setFlagsFromString(flag)
  const wanted = Math.round((getHeapStatistics().heap_size_limit * share) / megabyte)
  return { maxOldGenerationSizeMb: Math.max(minMegabytes, wanted), maxYoungGenerationSizeMb: youngMegabytes }
}
