import type { Compilable, CompiledQuery, InsertObject } from 'kysely'
import type { SQLInputValue } from 'node:sqlite'
import type { Db, Schema } from '../schema/index.ts'
import { connectionOf } from './sqlite-driver.ts'

/** Values that both databases accept unchanged. */
type Value = string | number | null

/** A query that is built and compiled once; only its input changes. */
interface Kept {
  query: CompiledQuery
  /** Index of the input for each value of the query, or undefined for a constant. */
  inputs: (number | undefined)[]
}

/**
 * For the few statements of every request or call: builds and compiles the query once and, on SQLite, queries the connection directly; both
 * overheads exceed SQLite's own time. `build` must make the same query for any input.
 */
export const hotRow = <A extends Value[], R>(db: Db, build: (...input: A) => Compilable<R>): ((...input: A) => Promise<R | undefined>) => {
  const connection = connectionOf(db)
  let kept: Kept | undefined
  return async (...input) => {
    kept ??= keep(build)
    if (connection) return connection.firstRow<R>(kept.query.sql, parametersOf(kept, input))
    const { rows } = await db.executeQuery<R>({ ...(kept.query as CompiledQuery<R>), parameters: parametersOf(kept, input) })
    return rows[0]
  }
}

/** The same for several rows. */
export const hotRows = <A extends Value[], R>(db: Db, build: (...input: A) => Compilable<R>): ((...input: A) => Promise<R[]>) => {
  const connection = connectionOf(db)
  let kept: Kept | undefined
  return async (...input) => {
    kept ??= keep(build)
    const query = { ...(kept.query as CompiledQuery<R>), parameters: parametersOf(kept, input) }
    return (await (connection?.executeQuery<R>(query) ?? db.executeQuery<R>(query))).rows
  }
}

/**
 * The same for new rows of a table, always with the same columns, in one statement per number of rows. False when all conflict with
 * existing ones.
 */
export const hotInsert = <T extends keyof Schema>(db: Db, table: T): ((...rows: InsertObject<Schema, T>[]) => Promise<boolean>) => {
  const connection = connectionOf(db)
  const keptFor = new Map<number, Kept>()
  const insertInto =
    (columns: string[]) =>
    (...values: Value[]): Compilable =>
      db
        .insertInto(table)
        .values(inRows(columns, values) as InsertObject<Schema, T>[])
        .onConflict((conflict) => conflict.doNothing())
  const keepFor = (rows: readonly object[]): Kept => {
    const columns = Object.keys(rows[0] ?? {})
    const kept = keep(insertInto(columns), columns.length * rows.length)
    keptFor.set(rows.length, kept)
    return kept
  }
  return async (...rows) => {
    const kept = keptFor.get(rows.length) ?? keepFor(rows)
    const [only = {}] = rows
    const parameters = parametersOf(kept, rows.length === 1 ? Object.values(only) : rows.flatMap((row) => Object.values(row)))
    if (connection) return connection.change(kept.query.sql, parameters) > 0
    const { numAffectedRows = 0n } = await db.executeQuery({ ...kept.query, parameters })
    return numAffectedRows > 0n
  }
}

const inRows = (columns: readonly string[], values: readonly Value[]): object[] =>
  Array.from({ length: values.length / columns.length }, (_, row) =>
    Object.fromEntries(columns.map((column, at) => [column, values[row * columns.length + at]])),
  )

/** Compiled with a marker for each input, which is then found among the query's values. */
const keep = <A extends Value[]>(build: (...input: A) => Compilable, inputCount = build.length): Kept => {
  const marks = Array.from({ length: inputCount }, (_, index) => `\u0000${index}`)
  const query = build(...(marks as unknown as A)).compile()
  const inputs = query.parameters.map((value) => {
    const index = marks.indexOf(value as string)
    return index < 0 ? undefined : index
  })
  if (marks.some((_, index) => !inputs.includes(index))) throw new Error(`an input is not used by: ${query.sql}`)
  return { query, inputs }
}

const parametersOf = ({ query, inputs }: Kept, input: readonly Value[]): SQLInputValue[] =>
  inputs.map((index, at) => (index === undefined ? (query.parameters[at] as Value) : (input[index] as Value)))
