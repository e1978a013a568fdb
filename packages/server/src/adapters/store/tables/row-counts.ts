import { sql, type DeleteResult, type InsertResult, type RawBuilder, type SelectQueryBuilder, type UpdateResult } from 'kysely'

interface Statement {
  executeTakeFirst(): Promise<InsertResult | UpdateResult | DeleteResult>
}

/** Rows that the statement inserted, updated or deleted. */
export const affectedRows = async (statement: Statement): Promise<number> => {
  const result: Partial<InsertResult & UpdateResult & DeleteResult> = await statement.executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows ?? result.numUpdatedRows ?? result.numDeletedRows ?? 0)
}

/** Whether the statement inserted, updated or deleted a row. */
export const hasEffect = async (statement: Statement): Promise<boolean> => (await affectedRows(statement)) > 0

type Query<DB, Tables extends keyof DB> = SelectQueryBuilder<DB, Tables, object>

const number = async <DB, Tables extends keyof DB>(query: Query<DB, Tables>, value: RawBuilder<unknown>): Promise<number> => {
  const row = (await query.select(value.as('number')).executeTakeFirstOrThrow()) as { number: number | string | null }
  return Number(row.number ?? 0)
}

export const countRows = <DB, Tables extends keyof DB>(query: Query<DB, Tables>): Promise<number> => number(query, sql`count(*)`)

/** 0 without rows. */
export const sumOf = <DB, Tables extends keyof DB>(query: Query<DB, Tables>, column: string): Promise<number> =>
  number(query, sql`sum(${sql.ref(column)})`)
