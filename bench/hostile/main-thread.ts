import { getHeapSpaceStatistics } from 'node:v8'

export interface Cost {
  /** CPU milliseconds of the longest turn of the event loop. */
  blockMs: number
  /** Maximum growth of the old heap in megabytes. */
  heapMb: number
  /** Total CPU milliseconds of the main thread. */
  cpuMs: number
}

/** Turns below this many milliseconds count as idle. */
const idleMs = 0.1

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The new space is mostly garbage, and has its own limit (`--max-semi-space-size`). */
const isOld = (space: string): boolean => !space.startsWith('new_')

const heapBytes = (): number =>
  getHeapSpaceStatistics().reduce((sum, space) => sum + (isOld(space.space_name) ? space.space_used_size : 0), 0)

/**
 * Cost of a piece of work on the main thread. Turns of the event loop are measured in CPU time of this thread, not wall-clock time, so that other
 * programs on the machine do not count.
 */
export const measure = async (work: () => unknown, { collectsFirst }: { collectsFirst: boolean }): Promise<Cost> => {
  if (collectsFirst) globalThis.gc?.()
  const heapBefore = heapBytes()
  let heapMost = heapBefore
  let maxLength = 0
  let last = cpuMs()
  const startedAt = last
  const ended = Promise.withResolvers<void>()
  let running = true
  const look = (): void => {
    const turn = cpuMs() - last
    maxLength = Math.max(maxLength, turn)
    heapMost = Math.max(heapMost, heapBytes())
    if (!running) return ended.resolve()
    // Does not spin while idle: on a busy machine that would take the processor from the measured threads.
    if (turn < idleMs) setTimeout(look, 1)
    else setImmediate(look)
    last = cpuMs()
  }
  look()
  try {
    await work()
  } finally {
    running = false
    await ended.promise
  }
  return { blockMs: maxLength, heapMb: (heapMost - heapBefore) / 2 ** 20, cpuMs: last - startedAt }
}
