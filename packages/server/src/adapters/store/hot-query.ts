import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './schema/index.ts'

/**
 * For the few reads that run on every request: builds and compiles the query once instead of each time, which costs more than SQLite
 * needs to answer it. The arguments must be the query's only values, each used once and in this order.
 */
export const hotQuery = <A extends string[], R>(db: Db, build: (...input: A) => Compilable<R>): ((...input: A) => Promise<R[]>) => {
  let compiled: CompiledQuery<R> | undefined
  return async (...input) => {
    compiled ??= build(...input).compile()
    const { rows } = await db.executeQuery<R>({ ...compiled, parameters: input })
    return rows
  }
}
