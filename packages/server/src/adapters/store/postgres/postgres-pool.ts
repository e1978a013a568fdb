import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { Client, Pool, types, type ClientConfig, type PoolClient } from 'pg'
import { codeOf, NoAnswerInTime, unavailable } from './postgres-errors.ts'
import { defaultLimits, type PostgresLimits } from './postgres-limits.ts'
import { PostgresReach } from './postgres-reach.ts'
import type { Sessions } from './postgres-sessions.ts'
import { hangUp, WatchedClient } from './watched-client.ts'

export interface WatchedPoolDeps {
  url: string
  connections: number
  /** After these times an answer is not waited for any more, and its connection is closed. */
  limits: PostgresLimits
  sessions: Sessions
  /** Called for connections that break; the pool replaces them by itself. */
  onError: (error: Error) => void
  /** A statement was answered after so many seconds. */
  onAnswered?: ((seconds: number) => void) | undefined
}

/** Connections, those that nobody uses, and who waits for one. */
export interface PoolFigures {
  size: number
  idle: number
  waiting: number
}

const keepAliveMs = 5_000

/** To open a connection costs PostgreSQL as much as a hundred statements: one is not closed between two calls. */
const idleTimeoutMillis = 300_000

/** What every connection has in common. The keepalive keeps routers in between from forgetting it, and notices when one has. */
export const connectionTo = (url: string, { connectMs }: Pick<PostgresLimits, 'connectMs'> = defaultLimits): ClientConfig => ({
  connectionString: url,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveMs,
  connectionTimeoutMillis: connectMs,
  types: { getTypeParser },
})

/** Our connections to PostgreSQL, as the tables use them: an answer comes in time or is `StoreUnavailable`, and what broke is never used again. */
export class WatchedPool implements PostgresPool {
  readonly reach: PostgresReach
  readonly options: PostgresPool['options']
  readonly #deps: WatchedPoolDeps
  readonly #pool: Pool
  readonly #clients = new Map<PoolClient, WatchedClient>()
  /** Connections that are older are closed instead of used: one of them gave no answer. */
  #freshSince = -Infinity

  constructor(deps: WatchedPoolDeps) {
    const { url, connections: max, limits, sessions } = deps
    this.#deps = deps
    this.#pool = new Pool({ ...connectionTo(url, limits), ...sessions.startup, max, query_timeout: limits.queryMs, idleTimeoutMillis })
    this.options = this.#pool.options
    const away = (): void => this.#destroyAll()
    this.reach = new PostgresReach({ room: sessions.room, ask: () => this.#ask(), wake: () => wake(url, limits), away })
    // Without both listeners a restart of PostgreSQL would end our process: a connection tells the pool only while it is idle.
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

/** Whether there is a way to the database: over a new connection, because those that are there may be dead without knowing it. */
const wake = async (url: string, limits: PostgresLimits): Promise<void> => {
  const client = new Client(connectionTo(url, limits))
  client.on('error', () => {}) // told by what is under way
  try {
    await inTime(limits.answerMs, async () => {
      await client.connect()
      await client.query('select 1')
    })
  } catch (error) {
    if (codeOf(error) !== tooManyConnections) throw error // it is there, but we are too many
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

/** Our bigints (milliseconds, ten-thousandths) all fit a double exactly; pg would hand them out as text. */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  wholeNumbers.includes(oid) ? Number : types.getTypeParser(oid, format)
