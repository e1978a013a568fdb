import { randomUUID, createHash, type Hash } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { Operation } from '@offhook/contract/operation.ts'
import type { Caller } from '#core/account/identity/caller/caller.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { StoredRequest } from '#core/kernel/ports/store/work.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { large } from './parse-json.ts'

interface Request {
  key: string
  operation: Pick<Operation, 'id' | 'credentials'>
  caller: Caller | undefined
  path: string
  body: unknown
  breathe: () => Promise<void>
}

const retentionMs = 24 * 60 * 60 * 1000
/** Characters of JSON; what creates something replies less. */
const maxReplyLength = 256 * 1024
/** In place of a reply that is too large. No JSON begins with it. */
const tooLarge = '!'
/** Milliseconds after which an unfinished request counts as dead with its process. */
const abandonedMs = 60 * 1000

/**
 * Same key and body, same reply, one effect. Only successes are stored: a rejection had no effect, so it may be retried.
 * A request that died with its process, or failed with an unknown outcome, is repeated with the same effect id: the repetition finds
 * the result of the first attempt and does not charge twice.
 */
export class IdempotentReplies {
  readonly #store: Store
  readonly #clock: Clock
  readonly #vault: Vault

  constructor({ store, clock, vault }: { store: Store; clock: Clock; vault: Vault }) {
    this.#store = store
    this.#clock = clock
    this.#vault = vault
  }

  async once({ key, operation, caller, path, body, breathe }: Request, execute: (effectId: string) => Promise<unknown>): Promise<unknown> {
    if (key === '' || key.length > 255) throw Problem.field('Idempotency-Key', 'must have 1 to 255 characters')
    const { accountId, holder } = ownerOf(caller)
    // Users choose keys independently of each other, and must not get each other's replies.
    const slot = `${holder}:${key}`
    const at = this.#clock.now()
    const request = { operation: operation.id, bodyHash: await hashJson([path, body], breathe), effectId: randomUUID(), at }
    const kept = await this.#begin(accountId, slot, request)
    if (kept.reply !== undefined) return this.#read(operation, kept.reply)
    const answer = await execute(kept.effectId).catch(async (error: unknown) => {
      await this.#release(accountId, slot, at, error)
      throw error
    })
    const reply = this.#written(operation, answer)
    await this.#store.write((tables) => tables.idempotency.finish(accountId, slot, { at, reply }))
    return answer
  }

  #written({ credentials }: Request['operation'], answer: unknown): string {
    if (answer === undefined) return ''
    const reply = JSON.stringify(answer)
    if (reply.length > maxReplyLength) return tooLarge
    return credentials ? this.#vault.seal(reply) : reply
  }

  #read({ credentials }: Request['operation'], reply: string): unknown {
    if (reply === '') return undefined
    if (reply === tooLarge) throw new Problem('idempotency_reply_too_large')
    return JSON.parse(credentials ? this.#vault.open(reply) : reply)
  }

  /** Returns the stored reply, or none when this request has to produce it. */
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

  /** A rejection frees the key. An internal error marks it as abandoned immediately. */
  #release(accountId: string, slot: string, at: number, error: unknown): Promise<void> {
    return this.#store.write(async ({ idempotency }) => {
      if (error instanceof Problem) await idempotency.forget(accountId, slot, { at })
      else await idempotency.takeOver(accountId, slot, { from: at, at: at - abandonedMs })
    })
  }
}

const ownerOf = (caller: Caller | undefined): { accountId: string; holder: string } => {
  if (caller?.kind === 'user') return { accountId: caller.accountId, holder: caller.userId }
  if (caller?.kind === 'operator') return { accountId: 'operator', holder: caller.operatorId }
  throw new Error('an Idempotency-Key needs a known caller')
}

const inProgress = (): Problem => new Problem('idempotency_in_progress', undefined, { retryAfter: 1 })

const piece = 1024 * 1024

/**
 * SHA-256 of JSON.stringify of a value. Very long strings, which are uploads, are serialised and hashed in chunks, so that calls and
 * other requests run in between.
 */
export const hashJson = async (value: unknown, breathe: () => Promise<void>): Promise<string> => {
  const mark = randomUUID()
  const long: string[] = []
  const short = JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'string' && one.length > large ? `${mark}-${long.push(one) - 1}-` : one,
  )
  const hash = createHash('sha256')
  const [first = '', ...rest] = short.split(new RegExp(`${mark}-\\d+-`))
  hash.update(first)
  for (const [index, text] of rest.entries()) {
    await hashString(hash, long[index] ?? '', breathe)
    hash.update(text)
  }
  return hash.digest('hex')
}

const hashString = async (hash: Hash, text: string, breathe: () => Promise<void>): Promise<void> => {
  for (let from = 0; from < text.length;) {
    const to = isSplitPair(text, from + piece) ? from + piece + 1 : from + piece
    hash.update(JSON.stringify(text.slice(from, to)).slice(1, -1))
    from = to
    await breathe()
  }
}

/** Half a surrogate pair would be written as an escape. */
const isSplitPair = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff
