import { url as debuggerUrl } from 'node:inspector'
import { extname } from 'node:path'
import { startThread } from '#media/thread/thread.ts'

/** Start data of the watchdog's thread. */
export interface WatchdogSettings {
  /** Two words: turns of the main thread, and whether a debugger may hold it. */
  turns: SharedArrayBuffer
  level: string
  numbers: boolean
}

const turnMs = 1_000
const heapShare = 1 / 8

/**
 * A thread that restarts the process when its main thread has not turned for ten seconds, even while JavaScript spins there. A service
 * manager would have to wait longer, and where there is none, nobody would notice.
 */
export const startWatchdog = (settings: Pick<WatchdogSettings, 'level' | 'numbers'>): void => {
  const turns = new Int32Array(new SharedArrayBuffer(8))
  const turn = (): void => {
    Atomics.add(turns, 0, 1)
    Atomics.store(turns, 1, debuggerUrl() === undefined ? 0 : 1)
  }
  setInterval(turn, turnMs).unref()
  const thread = startThread(new URL(`./watchdog-thread${extname(import.meta.filename)}`, import.meta.url), {
    name: 'watchdog',
    workerData: { ...settings, turns: turns.buffer } satisfies WatchdogSettings,
    heapShare,
  })
  thread.unref()
}
