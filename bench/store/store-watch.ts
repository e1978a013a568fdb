import { renameSync, writeFileSync } from 'node:fs'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the service with --import: counts what it does in SQLite and for how long each turn of the main thread is held up by it, whatever code asks.
 * At SIGUSR2 it writes what it has seen since the last time into the file BENCH_STORE_WATCH.
 */
export interface StoreWatch {
  /** Those that read or write rows; what only begins, marks or ends a transaction is not among them. */
  statements: number
  /** Transactions that were flushed to the disk. */
  commits: number
  /** Of all turns of the main thread in which the store was used: for how long, in ms. */
  holdMs: number[]
  /** How late the main thread was, all causes together: p50 and p99 of every millisecond. */
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
