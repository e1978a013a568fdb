import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './schema/index.ts'
import { connectionOf } from './sqlite-driver.ts'

/**
 * For the few rows that are read on every request: builds and compiles the query once instead of each time and, on SQLite, asks the
 * connection without the ceremony around it; both cost more than SQLite needs to answer. The arguments must be the query's only values,
 * each used once and in this order.
 */
export const hotRow = <A extends string[], R>(db: Db, build: (...input: A) => Compilable<R>): ((...input: A) => Promise<R | undefined>) => {
  const connection = connectionOf(db)
  let compiled: CompiledQuery<R> | undefined
  return async (...input) => {
    compiled ??= build(...input).compile()
    if (connection) return connection.firstRow<R>(compiled.sql, input)
    const { rows } = await db.executeQuery<R>({ ...compiled, parameters: input })
    return rows[0]
  }
}
