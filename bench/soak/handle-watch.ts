import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the service with --import: at SIGUSR2 it collects all garbage of the main thread and writes what is left into the file BENCH_HANDLE_WATCH.
 */
export interface Handles {
  /** What the main thread's heap and buffers hold after a collection, in bytes. */
  retained: number
  /** Timers that run, those that keep nothing alive included: Node tells of the others only. */
  timers: number
  /** What else keeps the main thread alive: sockets, ports of messages, … */
  handles: number
}

const timers = new Set<unknown>()

/** Counts the timers of one kind from their beginning until they are cleared or, the first kind, have fired. */
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
  // `setTimeout` has a promise in its pocket.
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
