import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { AttemptLimit } from '#core/kernel/ports/store/identity/attempts.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { addressBlock } from '#core/kernel/network/address-block.ts'
import { hashSecret } from '../tokens/tokens.ts'

const minute = 60_000
const hour = 60 * minute

type Window = Pick<AttemptLimit, 'limit' | 'windowMs'>

interface Limits {
  /** For one name from one place: an address, or a browser that this name has logged in with before. */
  here: readonly Window[]
  /** For any names from one address. */
  address: Window
  /** For one name from anywhere: so high that it takes many addresses to keep its owner out, and low enough that many are of no use. */
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

/** How often something may be tried. */
const limits = {
  login: passwords,
  program: passwords,
  /** Only who knows the password gets this far, so few are enough for a name. */
  factor: { here: [{ limit: 5, windowMs: minute }], address: { limit: 20, windowMs: minute }, anywhere: { limit: 20, windowMs: hour } },
  /** Each one is a mail, so the ceiling is what a mailbox can bear. */
  reset: { here: [{ limit: 3, windowMs: hour }], address: { limit: 10, windowMs: hour }, anywhere: { limit: 15, windowMs: hour } },
  /** Mails to people who may not know us: few for a mailbox, enough for a whole company in an hour. */
  invite: { here: [{ limit: 5, windowMs: hour }], address: { limit: 300, windowMs: hour }, anywhere: { limit: 15, windowMs: hour } },
} satisfies Record<string, Limits>

/** No window is longer, so older attempts can be forgotten. */
export const longestWindowMs = hour

export interface Attempt {
  kind: keyof typeof limits
  /** The user name as given, whether such a user exists or not. */
  name: string
  ip: string
  /** Of a browser that this name is known to use: what others do from elsewhere, or from the same address, does not keep it out. */
  browser?: string | undefined
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
