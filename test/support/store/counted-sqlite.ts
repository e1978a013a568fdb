import { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Scope } from '../machine/temporary-folder.ts'

/** SQLite statements of this process since the last `reset`. */
export interface CountedSqlite {
  /** Statements without those that begin, mark and end transactions. */
  statements: number
  commits: number
  /** Count of each statement. */
  kinds: Map<string, number>
  reset(): void
}

const asking = ['all', 'get', 'run'] as const

/** Counts at the driver, so that no statement is missed. For tests that are alone in their process. */
export const countSqlite = (t: Scope): CountedSqlite => {
  const counted: CountedSqlite = {
    statements: 0,
    commits: 0,
    kinds: new Map(),
    reset: () => void Object.assign(counted, { statements: 0, commits: 0, kinds: new Map() }),
  }
  const database = DatabaseSync.prototype as unknown as { exec: (this: DatabaseSync, sql: string) => void }
  const { exec } = database
  database.exec = function (sql) {
    if (sql === 'commit') counted.commits++
    exec.call(this, sql)
  }
  t.after(() => void (database.exec = exec))
  for (const name of asking) {
    const ask = StatementSync.prototype[name] as (...given: unknown[]) => unknown
    const counting = function (this: StatementSync, ...given: unknown[]): unknown {
      counted.statements++
      counted.kinds.set(this.sourceSQL, (counted.kinds.get(this.sourceSQL) ?? 0) + 1)
      return ask.apply(this, given)
    }
    Object.assign(StatementSync.prototype, { [name]: counting })
    t.after(() => void Object.assign(StatementSync.prototype, { [name]: ask }))
  }
  return counted
}
