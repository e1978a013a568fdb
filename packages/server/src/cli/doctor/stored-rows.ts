import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '#settings/config.ts'

/** Reads next to a running service without disturbing it. Undefined where there is no database yet, or one of an older version. */
export const storedRows = async <Row>(
  { DATABASE_URL: url, OFFHOOK_DATA: folder }: Pick<Settings, 'DATABASE_URL' | 'OFFHOOK_DATA'>,
  question: string,
  values: readonly number[] = [],
): Promise<Row[] | undefined> => {
  try {
    return await (url === undefined ? fromSqlite(join(folder, 'offhook.db'), question, values) : fromPostgres(url, question, values))
  } catch {
    return undefined // other checks report a missing or old database
  }
}

const fromSqlite = async <Row>(file: string, question: string, values: readonly number[]): Promise<Row[] | undefined> => {
  if (!existsSync(file)) return undefined
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare(question).all(...values) as Row[]
  } finally {
    database.close()
  }
}

const fromPostgres = async <Row>(url: string, question: string, values: readonly number[]): Promise<Row[]> => {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  let count = 0
  try {
    await client.connect()
    const { rows } = await client.query(
      question.replaceAll('?', () => `$${++count}`),
      [...values],
    )
    return rows as Row[]
  } finally {
    await client.end().catch(() => {})
  }
}
