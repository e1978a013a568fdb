import { renameSync, writeFileSync } from 'node:fs'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the service with --import: counts its SQLite work and how long it blocks each turn of the main thread, for all callers.
 * On SIGUSR2 it writes the counts since the previous signal to the file BENCH_STORE_WATCH.
 */
export interface StoreWatch {
  /** Statements that read or write rows; without those that only begin, mark or end a transaction. */
  statements: number
  /** Transactions flushed to the disk. */
  commits: number
  /** Milliseconds of store use per turn of the main thread that used it. */
  holdMs: number[]
  /** Delay of the main thread from all causes: p50 and p99, sampled every millisecond. */
  late: { p50: number; p99: number }
}

const resolutionMs = 1

const watch = (file: string): void => {
  let [statements, commits] = [0, 0]
  let holdMs: number[] = []
  let [inTransaction, thisTurn] = [false, 0]
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()

  const held = (ms: number): void => {
    if (thisTurn === 0)
      setImmediate(() => {
        holdMs.push(thisTurn)
        thisTurn = 0
      })
    thisTurn += ms
  }
  const watchMethod = (prototype: object, method: string, note: (first: unknown) => void): void => {
    const original = Reflect.get(prototype, method) as (...args: unknown[]) => unknown
    const watched = function (this: unknown, ...args: unknown[]): unknown {
      note(args[0])
      const from = performance.now()
      try {
        return Reflect.apply(original, this, args)
      } finally {
        held(performance.now() - from)
      }
    }
    Reflect.set(prototype, method, watched)
  }

  for (const method of ['get', 'all']) watchMethod(StatementSync.prototype, method, () => void statements++)
  watchMethod(StatementSync.prototype, 'run', () => {
    statements++
    if (!inTransaction) commits++
  })
  watchMethod(DatabaseSync.prototype, 'exec', (sql) => {
    const [word] = /\w+( to)?/.exec(String(sql).toLowerCase()) ?? []
    if (word === 'begin') inTransaction = true
    if (word === 'commit' || word === 'rollback') inTransaction = false
    if (word === 'commit') commits++
  })

  process.on('SIGUSR2', () => {
    const late = (share: number): number => Math.max(0, delay.percentile(share) / 1e6 - resolutionMs)
    const seen: StoreWatch = { statements, commits, holdMs, late: { p50: late(50), p99: late(99) } }
    writeFileSync(`${file}.new`, JSON.stringify(seen))
    renameSync(`${file}.new`, file)
    statements = commits = 0
    holdMs = []
    delay.reset()
  })
}

if (isMainThread && process.env.BENCH_STORE_WATCH !== undefined) watch(process.env.BENCH_STORE_WATCH)
