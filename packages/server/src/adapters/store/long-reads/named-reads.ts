import type { DatabaseSync } from 'node:sqlite'
import { longReads, type LongRead } from '#core/account/long-reads/long-reads.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Schema } from '../schema/index.ts'
import { sqliteKysely } from '../sqlite/sqlite-driver.ts'
import { tables } from '../tables/index.ts'

const known: Readonly<Record<string, LongRead>> = longReads as Record<string, LongRead>
const tablesOf = new WeakMap<DatabaseSync, Tables>()

/** Runs in the thread for long queries, over its connection. */
export const namedRead = async (database: DatabaseSync, name: string, input: object): Promise<unknown> => {
  const read = known[name]
  if (!read) throw new Error(`there is no long read ${name}`)
  const opened = tablesOf.get(database) ?? tables(sqliteKysely<Schema>(database), 'sqlite')
  tablesOf.set(database, opened)
  const result = await read(opened, input)
  if (typeof result !== 'object' || result === null || !('text' in result) || typeof result.text !== 'string') return result
  return { ...result, text: new TextEncoder().encode(result.text) }
}
