import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { AttemptLimit } from '#core/kernel/ports/store/identity.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { addressBlock } from '#core/kernel/network/address-block.ts'
import { hashSecret } from '../tokens/tokens.ts'

const minute = 60_000
const hour = 60 * minute

type Window = Pick<AttemptLimit, 'limit' | 'windowMs'>

interface Limits {
  /** Per name and place: an address, or a browser in which this name has logged in before. */
  here: readonly Window[]
  /** Per address, for all names. */
  address: Window
  /** Per name from anywhere: high enough that locking out the owner takes many addresses, low enough that many addresses do not help guessing. */
  anywhere: Window
}

const passwords: Limits = {
  here: [
    { limit: 5, windowMs: minute },
    { limit: 30, windowMs: hour },
  ],
  address: { limit: 20, windowMs: minute },
  anywhere: { limit: 300, windowMs: hour },
}

/** Maximum attempts by kind. */
const limits = {
  login: passwords,
  program: passwords,
  /** Reaching this step takes the password, so a few attempts per name are enough. */
  factor: { here: [{ limit: 5, windowMs: minute }], address: { limit: 20, windowMs: minute }, anywhere: { limit: 20, windowMs: hour } },
  /** Each attempt sends a mail, so the limit is what a mailbox can bear. */
  reset: { here: [{ limit: 3, windowMs: hour }], address: { limit: 10, windowMs: hour }, anywhere: { limit: 15, windowMs: hour } },
  /** Mails to people who may not know us: few per mailbox, enough for a whole company in an hour. */
  invite: { here: [{ limit: 5, windowMs: hour }], address: { limit: 300, windowMs: hour }, anywhere: { limit: 15, windowMs: hour } },
} satisfies Record<string, Limits>

/** Longest window of these limits; older attempts can be removed. */
export const longestWindowMs = hour

interface Attempt {
  kind: keyof typeof limits
  /** The user name as given, whether such a user exists or not. */
  name: string
  ip: string
  /** Id of a browser known for this name: attempts from elsewhere, or from the same address, do not lock it out. */
  browser?: string | undefined
}

/** Counts an attempt before it is made, so that concurrent attempts cannot bypass the limit. Returns the ids for `forgive`. */
export const takeAttempt = async (tables: Tables, clock: Clock, attempt: Attempt): Promise<number[]> => {
  const now = clock.now()
  const ids: number[] = []
  // Fixed order, so that two transactions cannot deadlock.
  for (const limit of bucketsOf(attempt)) {
    const taken = await tables.attempts.take(limit, now)
    if ('fullSince' in taken)
      throw new Problem('rate_limited', undefined, { retryAfter: secondsUntil(taken.fullSince + limit.windowMs, now) })
    ids.push(taken.id)
  }
  return ids
}

/** Names are stored as hashes: people mistype their password into the name field. */
export const hashedName = (name: string): string => hashSecret(name.trim().toLowerCase())

const bucketsOf = ({ kind, name, ip, browser }: Attempt): AttemptLimit[] => {
  const { here, address, anywhere: clusterWide } = limits[kind]
  const from = (place: string): AttemptLimit[] =>
    here.map((window) => ({ bucket: `${kind}:${window.windowMs}:${hashedName(name)}:${place}`, ...window }))
  if (browser !== undefined) return from(`browser:${browser}`)
  return [
    ...from(`ip:${addressBlock(ip)}`),
    { bucket: `${kind}:ip:${addressBlock(ip)}`, ...address },
    { bucket: `${kind}:name:${hashedName(name)}`, ...clusterWide },
  ]
}

const secondsUntil = (at: number, now: number): number => Math.max(1, Math.ceil((at - now) / 1000))
