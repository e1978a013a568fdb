import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type Compilable,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect as KyselyDialect,
  type Driver,
  type QueryResult,
} from 'kysely'
import { StoreFull, UniqueViolation } from '#core/kernel/ports/store/index.ts'
import type { AsideReader } from './question.ts'

/** Kysely over node:sqlite. One connection, owned by the caller; statements are prepared once and cached. */
export const sqliteKysely = <S>(database: DatabaseSync, long?: AsideReader): Kysely<S> => {
  const connection = new SqliteConnection(database, long)
  const db = new Kysely<S>({ dialect: sqliteDialect(connection) })
  connections.set(db, connection)
  return db
}

const connections = new WeakMap<object, SqliteConnection>()

/** The single connection of our Kysely; undefined for PostgreSQL, which has many. */
export const connectionOf = (db: object): SqliteConnection | undefined => connections.get(db)

/** Queries many rows without delaying others. Reads committed rows only. */
export const askAside = async <R>(
  db: { executeQuery<T>(query: CompiledQuery<T>): Promise<QueryResult<T>> },
  accountId: string,
  query: Compilable<R>,
): Promise<R[]> => {
  const compiled = query.compile()
  const long = connectionOf(db)?.long
  if (!long) return (await db.executeQuery(compiled)).rows
  return askThread(long, accountId, compiled)
}

export const askThread = async <R>(long: AsideReader, accountId: string, { sql, parameters }: CompiledQuery<R>): Promise<R[]> =>
  (await long.ask(accountId, { sql, parameters: parameters as SQLInputValue[] })) as R[]

const sqliteDialect = (connection: SqliteConnection): KyselyDialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => driver(connection),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

const driver = (connection: SqliteConnection): Driver => {
  const run = async (on: DatabaseConnection, statement: string): Promise<void> => {
    await on.executeQuery(CompiledQuery.raw(statement))
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: (on) => run(on, 'begin immediate'),
    commitTransaction: (on) => run(on, 'commit'),
    rollbackTransaction: (on) => run(on, 'rollback'),
    releaseConnection: async () => {},
    destroy: async () => {},
  }
}

const keptStatements = 500

class SqliteConnection implements DatabaseConnection {
  /** Set if this connection only reads. */
  readonly long: AsideReader | undefined
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>()

  constructor(database: DatabaseSync, long: AsideReader | undefined) {
    this.#database = database
    this.long = long
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, returnsRows } = this.#prepare(sql)
    return this.#guarded(() => {
      if (returnsRows) return { rows: statement.all(...(parameters as SQLInputValue[])) as R[] }
      const { changes, lastInsertRowid } = statement.run(...(parameters as SQLInputValue[]))
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    })
  }

  firstRow<R>(sql: string, parameters: SQLInputValue[]): R | undefined {
    return this.#prepare(sql).statement.get(...parameters) as R | undefined
  }

  /** Returns the number of changed rows. */
  change(sql: string, parameters: SQLInputValue[]): number {
    return this.#guarded(() => Number(this.#prepare(sql).statement.run(...parameters).changes))
  }

  // oxlint-disable-next-line require-yield -- Kysely asks for it; nothing of ours streams rows.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported on SQLite')
  }

  #guarded<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      throw toStoreError(error)
    }
  }

  #prepare(sql: string) {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    if (this.#statements.size >= keptStatements) this.#statements.clear()
    this.#statements.set(sql, prepared)
    return prepared
  }
}

const uniqueCodes = [1555, 2067] // SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE
const fullCodes = [13, 4874] // SQLITE_FULL; SQLITE_IOERR_SHMSIZE: no room for the index of the log

/** Converts SQLite errors to those of the store port. */
export const toStoreError = (error: unknown): unknown => {
  const code = error instanceof Error && 'errcode' in error ? (error.errcode as number) : undefined
  if (code === undefined) return error
  if (uniqueCodes.includes(code)) return new UniqueViolation(error)
  return fullCodes.includes(code) ? new StoreFull(error) : error
}
