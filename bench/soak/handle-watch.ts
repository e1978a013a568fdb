import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the service with --import: on SIGUSR2 it collects the garbage of the main thread and writes the remaining resources to the file
 * BENCH_HANDLE_WATCH.
 */
export interface Handles {
  /** Bytes in the main thread's heap and buffers after a garbage collection. */
  retained: number
  /** Active timers, including unref'ed ones: Node reports the others only. */
  timers: number
  /** Other handles that keep the main thread alive: sockets, message ports, … */
  handles: number
}

const timers = new Set<unknown>()

/** Counts timers of one kind from creation until they are cleared or, for `setTimeout`, have fired. */
const watchTimers = (begin: 'setTimeout' | 'setInterval', clear: 'clearTimeout' | 'clearInterval'): void => {
  const [begun, cleared] = [globalThis[begin] as (...args: unknown[]) => unknown, globalThis[clear] as (timer: unknown) => void]
  const watched = (work: (...args: unknown[]) => void, ...rest: unknown[]): unknown => {
    const fire = (...args: unknown[]): void => {
      if (begin === 'setTimeout') timers.delete(timer)
      work(...args)
    }
    const timer = begun(fire, ...rest)
    timers.add(timer)
    return timer
  }
  // `setTimeout` carries a promisified version as a property.
  Object.defineProperties(watched, Object.getOwnPropertyDescriptors(begun))
  Reflect.set(globalThis, begin, watched)
  Reflect.set(globalThis, clear, (timer: unknown) => {
    timers.delete(timer)
    cleared(timer)
  })
}

const watch = (file: string): void => {
  watchTimers('setTimeout', 'clearTimeout')
  watchTimers('setInterval', 'clearInterval')
  process.on('SIGUSR2', () => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    const handles = process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length
    const seen: Handles = { retained: heapUsed + external, timers: timers.size, handles }
    writeFileSync(`${file}.new`, JSON.stringify(seen))
    renameSync(`${file}.new`, file)
  })
}

if (isMainThread && process.env.BENCH_HANDLE_WATCH !== undefined) watch(process.env.BENCH_HANDLE_WATCH)
