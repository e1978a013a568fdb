import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '../ports/clock.ts'
import type { AttemptLimit } from '../ports/store/attempts.ts'
import type { Tables } from '../ports/store/index.ts'
import { addressBlock } from './address-block.ts'
import { hashSecret } from './tokens.ts'

const minute = 60_000
const hour = 60 * minute

/** How often something may be tried: by anybody for one user name, and from one address for any user name. */
const limits = {
  login: { windowMs: minute, perName: 5, perAddress: 20 },
  program: { windowMs: minute, perName: 5, perAddress: 20 },
  reset: { windowMs: hour, perName: 3, perAddress: 10 },
} as const

/** No window is longer, so older attempts can be forgotten. */
export const longestWindowMs = hour

export interface Attempt {
  kind: keyof typeof limits
  /** The user name as given, whether such a user exists or not. */
  name: string
  ip: string
}

/** Counts an attempt before it is made, so that a hundred at once are no way around the limit. Gives what `forgive` needs. */
export const takeAttempt = async (tables: Tables, clock: Clock, attempt: Attempt): Promise<number[]> => {
  const now = clock.now()
  const ids: number[] = []
  // Always in this order, so that two transactions cannot wait for each other.
  for (const limit of bucketsOf(attempt)) {
    const taken = await tables.attempts.take(limit, now)
    if ('fullSince' in taken)
      throw new Problem('rate_limited', undefined, { retryAfter: secondsUntil(taken.fullSince + limit.windowMs, now) })
    ids.push(taken.id)
  }
  return ids
}

/** Names are kept as hashes: people mistype their password into the wrong field. */
const bucketsOf = ({ kind, name, ip }: Attempt): AttemptLimit[] => {
  const { windowMs, perName, perAddress } = limits[kind]
  return [
    { bucket: `${kind}:name:${hashSecret(name.trim().toLowerCase())}`, limit: perName, windowMs },
    { bucket: `${kind}:ip:${addressBlock(ip)}`, limit: perAddress, windowMs },
  ]
}

const secondsUntil = (at: number, now: number): number => Math.max(1, Math.ceil((at - now) / 1000))
