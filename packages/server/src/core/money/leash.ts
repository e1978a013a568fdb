import { Problem } from '@offhook/contract/problem.ts'
import { weekdays } from '@offhook/contract/v1/authorization/leashes.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Leash, LeashRules } from '#core/kernel/ports/store/identity.ts'
import type { Reservation, ReservationRequest } from '#core/kernel/ports/store/money.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'

/** Originator, as identified for leashes. */
export interface Spender {
  accountId: string
  userId: string
  tokenId: string
  clientId?: string | undefined
}

/** Order to check against a leash. */
interface LeashedOrder {
  sessionId: string
  kind: 'call' | 'sms'
  /** Destinations: E.164, extensions of the account, or emergency numbers as dialled. */
  targets: readonly string[]
  /** Time of execution. */
  at: number
}

/** Leash of a token or, if it has none, of its app. */
export const leashOf = async (tables: Tables, { accountId, userId, tokenId, clientId }: Spender): Promise<Leash | undefined> =>
  (await tables.leashes.find(accountId, userId, tokenId)) ??
  (clientId === undefined ? undefined : await tables.leashes.find(accountId, userId, clientId))

/** Key of a leash in reservations. */
export const leashKey = ({ userId, id }: Pick<Leash, 'userId' | 'id'>): string => `${userId}/${id}`

/** Undefined if the leash was removed or has no spending limit. */
export const maxSpendOf = async (tables: Tables, accountId: string, key: string): Promise<number | undefined> => {
  const slash = key.indexOf('/')
  return (await tables.leashes.find(accountId, key.slice(0, slash), key.slice(slash + 1)))?.rules.maxSpend
}

/**
 * Part of the spending transaction. The reservation holds the lock on the account's balance, so that concurrent orders on any node are
 * counted one after the other.
 */
export const reserveOnLeash = async (
  tables: Tables,
  clock: Clock,
  spender: Spender,
  order: LeashedOrder,
  reserve: (leash: ReservationRequest['leash']) => Promise<Reservation>,
): Promise<Reservation> => {
  const { accountId } = spender
  const leash = await leashOf(tables, spender)
  if (!leash) return reserve(undefined)
  const { rules } = leash
  const key = leashKey(leash)
  requireTargets(rules, order.targets)
  requireHours(rules, order.at)
  const reservation = await reserve({ key, maxSpend: rules.maxSpend })
  const used = await tables.balances.leashUse(accountId, key, clock.now())
  if (order.kind === 'call' && used.calls > (rules.callsPerDay ?? Infinity)) throw new Problem('leash_calls_used_up')
  if (order.kind === 'sms' && used.sms > (rules.smsPerDay ?? Infinity)) throw new Problem('leash_sms_used_up')
  await auditByUser(tables, clock, spender, 'leash.use', leash.id, { kind: order.kind, sessionId: order.sessionId })
  return reservation
}

/** A rejection rolls its transaction back, so it is recorded in a separate one. */
export const noteRefusals = async <T>(parts: { store: Store; clock: Clock }, spender: Spender, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && error.code.startsWith('leash_')) await noteRefusal(parts, spender, { code: error.code })
    throw error
  }
}

export const noteRefusal = (
  { store, clock }: { store: Store; clock: Clock },
  spender: Spender,
  detail: { code: string; operation?: string },
): Promise<void> =>
  store.write(async (tables) => {
    const leash = await leashOf(tables, spender)
    if (leash) await auditByUser(tables, clock, spender, 'leash.refuse', leash.id, detail)
  })

const requireTargets = ({ allowedNumbers }: LeashRules, targets: readonly string[]): void => {
  for (const target of targets) if (!isAllowed(allowedNumbers, target)) throw new Problem('leash_number_not_allowed')
}

/** Numbers and extensions only: no list, and no missing one, allows a program to call the emergency services. */
const isAllowed = (allowed: readonly string[] | undefined, target: string): boolean =>
  /^(?:\+|[a-y])\d/.test(target) &&
  (allowed === undefined || allowed.some((one) => (one.endsWith('*') ? target.startsWith(one.slice(0, -1)) : target === one)))

const requireHours = ({ hours }: LeashRules, at: number): void => {
  if (!hours) return
  const { weekday, time } = wallClock(at, hours.timeZone ?? 'UTC')
  const days: readonly string[] = hours.weekdays ?? weekdays
  if (!days.includes(weekday) || time < hours.from || time >= hours.to) throw new Problem('leash_hours_closed')
}

const wallClock = (at: number, timeZone: string): { weekday: string; time: string } => {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return { weekday: (parts.weekday ?? '').toLowerCase(), time: `${parts.hour}:${parts.minute}` }
}
