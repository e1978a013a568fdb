import { createHash } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { Caller } from '../core/identity/caller.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { Store } from '../core/ports/store/index.ts'

interface Request {
  key: string
  operation: string
  caller: Caller | undefined
  path: string
  body: unknown
}

const keptMs = 24 * 60 * 60 * 1000
/** After this a request that never finished is taken for one that died with its process. */
const abandonedMs = 60 * 1000

/**
 * Same key and body, same answer, and the effect only once. Only successes are kept: a failure had no effect, so it may be tried again.
 * The effect's id is derived from the key; a repetition after a crash therefore meets its own first try, not a second charge.
 */
export class IdempotentReplies {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async once({ key, operation, caller, path, body }: Request, execute: (effectId: string) => Promise<unknown>): Promise<unknown> {
    if (caller?.kind !== 'user') throw new Error(`operation ${operation} takes an Idempotency-Key but no user`)
    if (key === '' || key.length > 255) throw Problem.field('Idempotency-Key', 'must have 1 to 255 characters')
    const { accountId } = caller
    const bodyHash = sha256(JSON.stringify([path, body]))
    const kept = await this.#begin(accountId, key, operation, bodyHash)
    if (kept !== undefined) return kept === '' ? undefined : (JSON.parse(kept) as unknown)
    try {
      const reply = await execute(toUuid(sha256(`${accountId}\n${operation}\n${key}\n${bodyHash}`)))
      await this.#store.write((tables) => tables.idempotency.finish(accountId, key, reply === undefined ? '' : JSON.stringify(reply)))
      return reply
    } catch (error) {
      await this.#store.write((tables) => tables.idempotency.forget(accountId, key))
      throw error
    }
  }

  /** The answer that is already known, or undefined when this request is the one to find it. */
  #begin(accountId: string, key: string, operation: string, bodyHash: string): Promise<string | undefined> {
    const now = this.#clock.now()
    return this.#store.write(async ({ idempotency }) => {
      const kept = await idempotency.find(accountId, key)
      if (kept && kept.createdAt > now - keptMs) {
        if (kept.operation !== operation || kept.bodyHash !== bodyHash) throw new Problem('idempotency_mismatch')
        if (kept.reply !== undefined) return kept.reply
        if (kept.createdAt > now - abandonedMs) throw new Problem('idempotency_in_progress', undefined, { retryAfter: 1 })
      }
      if (kept) await idempotency.forget(accountId, key)
      if (!(await idempotency.begin(accountId, key, { operation, bodyHash, at: now }))) throw new Problem('idempotency_in_progress', undefined, { retryAfter: 1 })
      return undefined
    })
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const toUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
