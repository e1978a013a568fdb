import { Problem } from '@offhook/contract/problem.ts'
import { usageTypes, type usageKeys } from '@offhook/contract/v1/balance/usage.ts'
import { addDays, isDay, localDay, startOfDay } from '#core/kernel/local-day.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { UsageKey, UsageSum } from '#core/kernel/ports/store/money.ts'

type UsageType = (typeof usageTypes)[number]
type UsageBy = (typeof usageKeys)[number]

interface UsageFigures {
  calls: number
  minutes: number
  messages: number
  pages: number
  amount: number
}

interface UsageItem extends UsageFigures {
  key: string
}

interface UsageRequest {
  by: UsageBy
  from?: string | undefined
  to?: string | undefined
  now: number
}

const columns: Record<UsageBy, UsageKey> = { day: 'quarter', type: 'purpose', number: 'number', user: 'user', country: 'country' }

/** Reasons of entries written by the previous version. */
const typesOfReasons: Record<string, UsageType> = { call: 'CALL', fax: 'FAX', sms: 'SMS', 'SIM order': 'SIM', 'SIM order cancelled': 'SIM' }

const maxDays = 400
const unknown = 'unknown'

/** Time zone of the account's first administrator, which defines the account's days and months. */
export const zoneOf = async (tables: Tables, accountId: string): Promise<string> => {
  const users = await tables.users.list(accountId)
  return (users.find(({ admin }) => admin) ?? users[0])?.timezone ?? 'UTC'
}

/** Usage according to the ledger. Default period: this month. */
export const usageOf = async (tables: Tables, accountId: string, { by, now, ...input }: UsageRequest) => {
  const timeZone = await zoneOf(tables, accountId)
  const { from, to } = readDays(input, localDay(now, timeZone))
  const span = { from: startOfDay(from, timeZone), to: startOfDay(addDays(to, 1), timeZone) }
  const sums = await tables.usages.sums(accountId, columns[by], span)
  const keyOf = (sum: UsageSum): string => {
    if (by === 'type') return typeOf(sum)
    if (by === 'day') return localDay(Number(sum.key) * 900_000, timeZone)
    return sum.key ?? unknown
  }
  const items = [...Map.groupBy(sums, keyOf)].map(([key, ofKey]): UsageItem => ({ key, ...figuresOf(ofKey) }))
  const order = by === 'day' ? byKey : byAmount
  return { timeZone, from, to, items: items.toSorted(order), total: figuresOf(sums) }
}

export const figuresOf = (sums: readonly UsageSum[]): UsageFigures => {
  const sum = (types: readonly UsageType[], figure: 'entries' | 'seconds' | 'units' | 'amount'): number =>
    sums.reduce((all, one) => all + (types.includes(typeOf(one)) ? one[figure] : 0), 0)
  return {
    calls: sum(['CALL', 'FLOW'], 'entries'),
    minutes: Math.round(sum(['CALL', 'FLOW'], 'seconds') / 6) / 10,
    messages: sum(['SMS'], 'units'),
    pages: sum(['FAX'], 'units'),
    amount: sum(usageTypes, 'amount'),
  }
}

export const typeOf = ({ purpose }: UsageSum): UsageType =>
  usageTypes.find((type) => type === purpose) ?? typesOfReasons[purpose] ?? 'OTHER'

const readDays = ({ from, to }: Pick<UsageRequest, 'from' | 'to'>, today: string): { from: string; to: string } => {
  if (from !== undefined && !isDay(from)) throw Problem.field('from', 'is no day')
  if (to !== undefined && !isDay(to)) throw Problem.field('to', 'is no day')
  const last = to ?? (from !== undefined && from > today ? from : today)
  const first = from ?? `${last.slice(0, 7)}-01`
  if (first > last) throw Problem.field('from', 'must not be after to')
  if (addDays(first, maxDays) < last) throw Problem.field('from', `must be at most ${maxDays} days before to`)
  return { from: first, to: last }
}

const byKey = (one: UsageItem, other: UsageItem): number => (one.key < other.key ? -1 : 1)
const byAmount = (one: UsageItem, other: UsageItem): number => other.amount - one.amount || byKey(one, other)
