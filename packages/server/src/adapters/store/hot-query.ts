import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './schema/index.ts'
import { connectionOf } from './sqlite-driver.ts'

/**
 * For the few reads that run on every request: builds and compiles the query once instead of each time and, on SQLite, asks the connection
 * without the ceremony around it; both cost more than SQLite needs to answer. The arguments must be the query's only values, each used once
 * and in this order.
 */
export const hotQuery = <A extends string[], R>(db: Db, build: (...input: A) => Compilable<R>): ((...input: A) => Promise<R[]>) => {
  const connection = connectionOf(db)
  let compiled: CompiledQuery<R> | undefined
  return async (...input) => {
    compiled ??= build(...input).compile()
    const query = { ...compiled, parameters: input }
    const { rows } = await (connection ? connection.executeQuery<R>(query) : db.executeQuery<R>(query))
    return rows
  }
}
