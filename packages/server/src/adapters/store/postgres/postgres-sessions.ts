import { Client, type ClientConfig } from 'pg'
import { codeOf } from './postgres-errors.ts'
import type { PostgresLimits } from './postgres-limits.ts'

/** What PostgreSQL itself ends when we cannot, because our process or the network stands still. */
type SessionLimits = Pick<PostgresLimits, 'statementMs' | 'standstillMs'>

/** How the limits are told, and for how many connections there is room. */
export interface Sessions {
  /** With the connection, where it is a session of PostgreSQL … */
  startup: Pick<ClientConfig, 'statement_timeout' | 'idle_in_transaction_session_timeout'>
  /** … or with each transaction, where a pooler in between gives it any session. */
  begin: string
  /** Connections that PostgreSQL allows to all; unknown behind a pooler. */
  room: number | undefined
}

const facts = `select (select setting::int from pg_settings where name = 'idle_in_transaction_session_timeout') as standstill,
  (select setting::int from pg_settings where name = 'max_connections') as room`

/** Asks over a connection of its own. Poolers (PgBouncer) refuse what would have to be told to a session, or pass over it. */
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
  client.on('error', () => {}) // told by what is under way
  try {
    await client.connect()
    return (await client.query<{ standstill: number; room: number }>(facts)).rows[0]
  } finally {
    await client.end().catch(() => {})
  }
}
