import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { Caller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { StoredRequest } from '#core/kernel/ports/store/work/idempotency.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { hashJson } from './hash-json.ts'

interface Request {
  key: string
  operation: string
  caller: Caller | undefined
  path: string
  body: unknown
}

const retentionMs = 24 * 60 * 60 * 1000
/** After this a request that never finished is taken for one that died with its process. */
const abandonedMs = 60 * 1000

/**
 * Same key and body, same reply, and the effect only once. Only successes are kept: a rejection had no effect, so it may be tried again.
 * A request that died with its process, or failed in a way that leaves open what happened, is repeated with the same effect id: the repetition meets
 * what its first try left behind, and does not charge twice.
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
    // Each user chooses keys without knowing those of the others, and must not get their replies.
    const slot = `${caller.userId}:${key}`
    const at = this.#clock.now()
    const request = { operation, bodyHash: await hashJson([path, body]), effectId: randomUUID(), at }
    const kept = await this.#begin(accountId, slot, request)
    if (kept.reply !== undefined) return kept.reply === '' ? undefined : (JSON.parse(kept.reply) as unknown)
    const answer = await execute(kept.effectId).catch(async (error: unknown) => {
      await this.#release(accountId, slot, at, error)
      throw error
    })
    const reply = answer === undefined ? '' : JSON.stringify(answer)
    await this.#store.write((tables) => tables.idempotency.finish(accountId, slot, { at, reply }))
    return answer
  }

  /** With the reply that is already known, or without one when this request has to produce it. */
  #begin(accountId: string, slot: string, request: StoredRequest): Promise<{ effectId: string; reply?: string | undefined }> {
    const { operation, bodyHash, at } = request
    return this.#store.write(async ({ idempotency }) => {
      const kept = await idempotency.find(accountId, slot)
      if (kept && kept.at > at - retentionMs) {
        if (kept.operation !== operation || kept.bodyHash !== bodyHash) throw new Problem('idempotency_mismatch')
        if (kept.reply !== undefined) return kept
        if (kept.at > at - abandonedMs || !(await idempotency.takeOver(accountId, slot, { from: kept.at, at }))) throw inProgress()
        return kept
      }
      if (kept) await idempotency.forget(accountId, slot, { at: kept.at })
      if (!(await idempotency.begin(accountId, slot, request))) throw inProgress()
      return request
    })
  }

  /** After a rejection the key is free. After an internal error it counts as abandoned at once. */
  #release(accountId: string, slot: string, at: number, error: unknown): Promise<void> {
    return this.#store.write(async ({ idempotency }) => {
      if (error instanceof Problem) await idempotency.forget(accountId, slot, { at })
      else await idempotency.takeOver(accountId, slot, { from: at, at: at - abandonedMs })
    })
  }
}

const inProgress = (): Problem => new Problem('idempotency_in_progress', undefined, { retryAfter: 1 })
