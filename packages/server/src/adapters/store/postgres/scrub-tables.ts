import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { connectionTo } from './postgres-pool.ts'

/** A larger table is not rewritten, since all queries would wait for it: later rows overwrite its deleted ones. */
const maxRewrittenBytes = 64 * 1024 * 1024
const maxTries = 10
const retryAfterMs = 200

/**
 * Removes deleted rows from their pages (VACUUM) and rewrites small tables, so that their files contain no bytes of them; renews samples of
 * their values (ANALYZE). False when a table was too large, or always in use. PostgreSQL's log (WAL) keeps old writes until it is recycled.
 */
export const scrubTables = async (url: string, tables: readonly string[]): Promise<boolean> => {
  const client = new Client(connectionTo(url))
  client.on('error', () => {}) // reported by the pending query
  await client.connect()
  try {
    for (const table of tables) await client.query(`vacuum (analyze) ${client.escapeIdentifier(table)}`)
    let complete = true
    for (const table of [...tables, 'pg_statistic']) complete = (await rewrite(client, table)) && complete
    return complete
  } finally {
    await client.end()
  }
}

const rewrite = async (client: Client, table: string): Promise<boolean> => {
  if ((await bytesOf(client, table)) > maxRewrittenBytes) return false
  for (let tries = 0; tries < maxTries; tries++) {
    if (tries > 0) await wait(retryAfterMs)
    if (await rewriteUnlocked(client, table)) return true
  }
  return false
}

/** Does not wait for locks, because all others would wait behind it. PostgreSQL only logs a notice when it skips a table. */
const rewriteUnlocked = async (client: Client, table: string): Promise<boolean> => {
  let done = true
  const listen = ({ message = '' }: { message: string | undefined }): void => void (done &&= !/skipping|only .* can vacuum/.test(message))
  client.on('notice', listen)
  try {
    await client.query(`vacuum (full, skip_locked) ${client.escapeIdentifier(table)}`)
  } finally {
    client.off('notice', listen)
  }
  return done
}

const bytesOf = async (client: Client, table: string): Promise<number> => {
  const { rows } = await client.query<{ bytes: number }>(
    'select coalesce(sum(pg_total_relation_size(relid)), 0)::bigint as bytes from pg_partition_tree($1::regclass)',
    [table],
  )
  return rows[0]?.bytes ?? 0
}
