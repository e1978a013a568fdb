import type { Socket } from 'node:net'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { Client, Pool, types, type ClientConfig, type PoolClient } from 'pg'
import { codeOf, NoAnswerInTime, unavailable, isBroken } from './postgres-errors.ts'
import { defaultLimits, type PostgresLimits } from './postgres-limits.ts'
import { PostgresReach } from './postgres-reach.ts'
import type { Sessions } from './postgres-sessions.ts'

interface WatchedPoolDeps {
  url: string
  connections: number
  /** After these timeouts the connection is closed. */
  limits: PostgresLimits
  sessions: Sessions
  /** Called for broken connections; the pool replaces them by itself. */
  onError: (error: Error) => void
  /** Called with the seconds until a statement was answered. */
  onAnswered?: ((seconds: number) => void) | undefined
}

/** Number of connections, idle ones, and waiting requests. */
export interface PoolFigures {
  size: number
  idle: number
  waiting: number
}

const keepAliveMs = 5_000

/** Opening a connection costs PostgreSQL as much as a hundred statements: it is not closed between two calls. */
const idleTimeoutMillis = 300_000

/** Common settings of all connections. The keepalive keeps NAT entries alive and detects lost ones. */
export const connectionTo = (url: string, { connectMs }: Pick<PostgresLimits, 'connectMs'> = defaultLimits): ClientConfig => ({
  connectionString: url,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveMs,
  connectionTimeoutMillis: connectMs,
  types: { getTypeParser },
})

/** Our connections to PostgreSQL: an answer comes in time or is `StoreUnavailable`, and a broken connection is never reused. */
export class WatchedPool implements PostgresPool {
  readonly reach: PostgresReach
  readonly options: PostgresPool['options']
  readonly #deps: WatchedPoolDeps
  readonly #pool: Pool
  readonly #clients = new Map<PoolClient, WatchedClient>()
  /** Older connections are closed instead of used: one of them gave no answer. */
  #freshSince = -Infinity

  constructor(deps: WatchedPoolDeps) {
    const { url, connections: max, limits, sessions } = deps
    this.#deps = deps
    this.#pool = new Pool({ ...connectionTo(url, limits), ...sessions.startup, max, query_timeout: limits.queryMs, idleTimeoutMillis })
    this.options = this.#pool.options
    const away = (): void => this.#destroyAll()
    this.reach = new PostgresReach({ room: sessions.room, ask: () => this.#ask(), wake: () => wake(url, limits), away })
    // Without both listeners a restart of PostgreSQL would end our process: a connection notifies the pool only while it is idle.
    this.#pool.on('error', () => this.#lost())
    this.#pool.on('connect', (client) => this.#opened(client))
    this.#pool.on('remove', (client) => this.#clients.delete(client))
  }

  get figures(): PoolFigures {
    const { totalCount: size, idleCount: idle, waitingCount: waiting } = this.#pool
    return { size, idle, waiting }
  }

  async connect(): Promise<PostgresPoolClient> {
    for (;;) {
      if (this.reach.silent) throw unavailable(new NoAnswerInTime(this.#deps.limits.answerMs))
      const client = await this.#connect()
      const watched = this.#clients.get(client)
      if (watched && watched.openedAt >= this.#freshSince) return watched
      client.release(true)
      hangUp(client)
    }
  }

  async end(): Promise<void> {
    this.reach.close()
    await this.#pool.end()
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      this.#lost()
      throw unavailable(error)
    }
  }

  #opened(client: PoolClient): void {
    const { sessions, onError, onAnswered } = this.#deps
    client.on('error', onError)
    const notified = { answered: () => this.reach.answered(), lost: () => this.#lost(), took: onAnswered }
    this.#clients.set(client, new WatchedClient(client, { openedAt: performance.now(), begin: sessions.begin, ...notified }))
  }

  #lost(): void {
    this.#freshSince = performance.now()
    void this.reach.doubt()
  }

  #destroyAll(): void {
    for (const client of this.#clients.values()) client.destroy()
  }

  #ask(): Promise<number> {
    return inTime(this.#deps.limits.soonThresholdMs, async () => {
      const client = await this.connect()
      try {
        const { rows } = await client.query<{ now: number }>(timeOfDay, [])
        return Number(rows[0]?.now)
      } finally {
        client.release()
      }
    })
  }
}

/** Checks the database over a new connection, because existing ones may be dead without knowing it. */
const wake = async (url: string, limits: PostgresLimits): Promise<void> => {
  const client = new Client(connectionTo(url, limits))
  client.on('error', () => {}) // reported by the pending query
  try {
    await inTime(limits.answerMs, async () => {
      await client.connect()
      await client.query('select 1')
    })
  } catch (error) {
    if (codeOf(error) !== tooManyConnections) throw error // it is available, but has too many connections
  } finally {
    client.end().catch(() => {})
    hangUp(client)
  }
}

const tooManyConnections = '53300'

const timeOfDay = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now'

const inTime = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new NoAnswerInTime(ms)), ms)
  try {
    return await Promise.race([work(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const wholeNumbers = [types.builtins.INT8, types.builtins.NUMERIC] as number[]

/** Our bigints (milliseconds, ten-thousandths) all fit a double exactly; pg would return them as text. */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  wholeNumbers.includes(oid) ? Number : types.getTypeParser(oid, format)

interface WatchedClientDeps {
  openedAt: number
  /** First statement of a transaction. */
  begin: string
  answered: () => void
  lost: () => void
  /** Called with the seconds until a statement was answered. */
  took: ((seconds: number) => void) | undefined
}

/** One connection and its state. */
class WatchedClient {
  readonly openedAt: number
  readonly #client: PoolClient
  readonly #deps: WatchedClientDeps
  /** Reason why it must not be used again. */
  #broken: unknown

  constructor(client: PoolClient, deps: WatchedClientDeps) {
    this.#client = client
    this.#deps = deps
    this.openedAt = deps.openedAt
  }

  // Typed for Kysely; cursors are not used.
  readonly query = (async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    if (this.#broken !== undefined) throw unavailable(this.#broken)
    try {
      const startedAt = performance.now()
      const result: unknown = await this.#client.query(sql === 'begin' ? this.#deps.begin : sql, [...parameters])
      this.#deps.answered()
      this.#deps.took?.((performance.now() - startedAt) / 1000)
      return Array.isArray(result) ? (result[0] as unknown) : result
    } catch (error) {
      if (!isBroken(error)) throw error
      this.#broken = error
      this.#deps.lost()
      throw unavailable(error)
    }
  }) as PostgresPoolClient['query']

  /** A broken one is closed: a late answer would go to the next user. */
  readonly release = (discard = false): void => {
    this.#client.release(discard || this.#broken !== undefined)
    if (this.#broken !== undefined) hangUp(this.#client)
  }

  /** Rejects pending queries immediately. */
  destroy(): void {
    hangUp(this.#client)
  }
}

/** Without a Terminate message, which would wait for the other side: pg has no method for it. */
const hangUp = (client: Client | PoolClient): void =>
  void (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
