import { Problem } from '@offhook/contract/problem.ts'
import { addressBlock } from '#core/kernel/network/address-block.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { AttemptLimit } from '#core/kernel/ports/store/identity.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Maximum records that an address may create without a login. An IPv6 /64 counts as one address. */
const limits = {
  /** OAuth clients that register themselves (RFC 7591). */
  client: [{ limit: 50, windowMs: day }],
  /** Login pages opened by applications: each stores the application's request for half an hour. */
  interaction: [
    { limit: 60, windowMs: minute },
    { limit: 600, windowMs: hour },
  ],
} satisfies Record<string, readonly Pick<AttemptLimit, 'limit' | 'windowMs'>[]>

export type CreationKind = keyof typeof limits

/** Prefix of the buckets whose windows are longer than all other limits. */
export const clientBuckets = 'client:'
export const clientWindowMs = day

/** Counts a record before its creation; returns the ids for `forgive` in case the creation fails. */
export const takeCreation = async (tables: Tables, clock: Clock, kind: CreationKind, ip: string): Promise<number[]> => {
  const now = clock.now()
  const ids: number[] = []
  for (const { limit, windowMs } of limits[kind]) {
    const taken = await tables.attempts.take({ bucket: `${kind}:${windowMs}:${addressBlock(ip)}`, limit, windowMs }, now)
    if ('fullSince' in taken) {
      const retryAfter = Math.max(1, Math.ceil((taken.fullSince + windowMs - now) / 1000))
      throw new Problem('rate_limited', undefined, { retryAfter })
    }
    ids.push(taken.id)
  }
  return ids
}
