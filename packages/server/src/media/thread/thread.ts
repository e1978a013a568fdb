import { constants, setPriority } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { Worker, workerData } from 'node:worker_threads'

/**
 * Memory of one isolate, in bytes, and its CPU time. `arrayBuffers` includes memory shared by threads, in its creator; `external` does not.
 */
interface IsolateMemory {
  heapUsed: number
  heapTotal: number
  heapLimit: number
  external: number
  arrayBuffers: number
  /** CPU time of its thread, in seconds. */
  cpuSeconds: number
}

interface RunningThread {
  name: string
  id: number
  /** As of a moment ago. */
  memory(): IsolateMemory
}

const figures = ['heapUsed', 'heapTotal', 'heapLimit', 'external', 'arrayBuffers', 'cpuSeconds'] as const
const notifyIntervalMs = 2_000
const megabyte = 2 ** 20
const running = new Map<Worker, RunningThread>()

interface ThreadOptions {
  name: string
  workerData: object
  /** Heap limit as a share of the main thread's. */
  heapShare: number
}

/** Its script has to call `reportMemory()`. */
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

/** Called in the thread: publishes its memory where the main thread can read it without a message. */
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

/** Called in the thread: yields to work that others wait for. On Linux a thread has its own priority; elsewhere that of the whole process would change. */
export const runInBackground = (): void => lowerPriority(constants.priority.PRIORITY_BELOW_NORMAL)

/** Called in a thread that computes for hundreds of milliseconds, for calls: yields to the threads that signal and send. */
export const runBehindSignalling = (): void => lowerPriority(signallingAdvantage)

/** Half as much as background work yields: a third of the weight of other threads (Linux, CFS). */
const signallingAdvantage = 5

/** Called in the main thread: signalling goes before the computing of other threads and programs, if the system permits it. */
export const preferMainThread = (): void => {
  try {
    if (process.platform === 'linux') setPriority(-signallingAdvantage)
  } catch {
    // Without the privilege (RLIMIT_NICE) it stays as it is.
  }
}

const lowerPriority = (nice: number): void => {
  if (process.platform === 'linux') setPriority(nice)
}

const readPage = (buffer: SharedArrayBuffer): IsolateMemory => {
  const [heapUsed = 0, heapTotal = 0, heapLimit = 0, external = 0, arrayBuffers = 0, cpuSeconds = 0] = new Float64Array(buffer)
  return { heapUsed, heapTotal, heapLimit, external, arrayBuffers, cpuSeconds }
}

const minMegabytes = 32
const youngMegabytes = 16

const limits = (share: number): { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number } => {
  // Limits from the command line apply to every isolate and would override these.
  for (const flag of ['--max-old-space-size=0', '--max-semi-space-size=0']) setFlagsFromString(flag)
  const wanted = Math.round((getHeapStatistics().heap_size_limit * share) / megabyte)
  return { maxOldGenerationSizeMb: Math.max(minMegabytes, wanted), maxYoungGenerationSizeMb: youngMegabytes }
}
