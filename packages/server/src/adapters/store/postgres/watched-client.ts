import type { Socket } from 'node:net'
import type { PostgresPoolClient } from 'kysely'
import type { Client, PoolClient } from 'pg'
import { isBroken, unavailable } from './postgres-errors.ts'

export interface WatchedClientDeps {
  openedAt: number
  /** What a transaction begins with. */
  begin: string
  answered: () => void
  lost: () => void
  /** It was answered after so many seconds. */
  took: ((seconds: number) => void) | undefined
}

/** One connection: what it has answered, and whether it still can. */
export class WatchedClient {
  readonly openedAt: number
  readonly #client: PoolClient
  readonly #deps: WatchedClientDeps
  /** Why it must not be used any more. */
  #broken: unknown

  constructor(client: PoolClient, deps: WatchedClientDeps) {
    this.#client = client
    this.#deps = deps
    this.openedAt = deps.openedAt
  }

  // Typed as Kysely wants it; cursors are not used.
  readonly query = (async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    if (this.#broken !== undefined) throw unavailable(this.#broken)
    try {
      const began = performance.now()
      const result: unknown = await this.#client.query(sql === 'begin' ? this.#deps.begin : sql, [...parameters])
      this.#deps.answered()
      this.#deps.took?.((performance.now() - began) / 1000)
      return Array.isArray(result) ? (result[0] as unknown) : result
    } catch (error) {
      if (!isBroken(error)) throw error
      this.#broken = error
      this.#deps.lost()
      throw unavailable(error)
    }
  }) as PostgresPoolClient['query']

  /** One that broke is closed: what it was asked may still be answered, to whoever comes next. */
  readonly release = (discard = false): void => {
    this.#client.release(discard || this.#broken !== undefined)
    if (this.#broken !== undefined) hangUp(this.#client)
  }

  /** Whoever waits for an answer is told at once that there will be none. */
  destroy(): void {
    hangUp(this.#client)
  }
}

/** Without a goodbye, which would wait for the other side: pg has no method for it. */
export const hangUp = (client: Client | PoolClient): void =>
  void (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
