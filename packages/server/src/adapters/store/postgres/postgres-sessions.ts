import { Client, type ClientConfig } from 'pg'
import { codeOf } from './postgres-errors.ts'
import type { PostgresLimits } from './postgres-limits.ts'

/** Timeouts that PostgreSQL enforces when we cannot, because our process or the network stalls. */
type SessionLimits = Pick<PostgresLimits, 'statementMs' | 'standstillMs'>

/** How the timeouts are set, and the maximum of connections. */
export interface Sessions {
  /** Set with the connection, if it is a session of PostgreSQL. */
  startup: Pick<ClientConfig, 'statement_timeout' | 'idle_in_transaction_session_timeout'>
  /** Set with each transaction, if a pooler assigns it any session. */
  begin: string
  /** Maximum connections of PostgreSQL; unknown behind a pooler. */
  room: number | undefined
}

const facts = `select (select setting::int from pg_settings where name = 'idle_in_transaction_session_timeout') as standstill,
  (select setting::int from pg_settings where name = 'max_connections') as room`

/** Queries over a separate connection. Poolers (PgBouncer) reject or ignore session parameters. */
export const findSessions = async (connection: ClientConfig, { statementMs, standstillMs }: SessionLimits): Promise<Sessions> => {
  const startup = { statement_timeout: statementMs, idle_in_transaction_session_timeout: standstillMs }
  const found = await ask({ ...connection, ...startup }).catch((error: unknown) => {
    if (codeOf(error) !== '08P01') throw error // a pooler: unsupported startup parameter
    return undefined
  })
  if (found?.standstill === standstillMs) return { startup, begin: 'begin', room: found.room }
  const limits = { statement_timeout: statementMs, idle_in_transaction_session_timeout: standstillMs }
  const local = Object.entries(limits).map(([name, ms]) => `set_config('${name}', '${ms}', true)`)
  return { startup: {}, begin: `begin; select ${local.join(', ')}`, room: undefined }
}

const ask = async (connection: ClientConfig): Promise<{ standstill: number; room: number } | undefined> => {
  const client = new Client(connection)
  client.on('error', () => {}) // reported by the pending query
  try {
    await client.connect()
    return (await client.query<{ standstill: number; room: number }>(facts)).rows[0]
  } finally {
    await client.end().catch(() => {})
  }
}

/** Kysely's lock id, so that older versions of the program wait for us and we for them. */
export const migrationLock = 3_853_314_791_062_309_107n
