import { createHash } from 'node:crypto'
import type { Statement as StatementShape, statementLineTypes } from '@offhook/contract/v1/balance/statements.ts'
import { usageTypes } from '@offhook/contract/v1/balance/usage.ts'
import type { Static } from 'typebox'
import { addMonths, localMonth, startOfDay } from '#core/kernel/local-day.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredStatement, TimeSpan } from '#core/kernel/ports/store/money.ts'
import { billingOf, sellerOf, type Seller } from './billing.ts'
import { figuresOf, typeOf, zoneOf } from './usage.ts'

export type Statement = Static<typeof StatementShape>
export type StatementLine = Statement['lines'][number]
type LineType = (typeof statementLineTypes)[number]

/** Excludes fields that are known only when it is stored. */
type Content = Omit<Statement, 'hash' | 'createdAt' | 'kind' | 'number' | 'month'>

/** A transaction that began in the old month may end in the new one. */
const settleMs = 10 * 60_000

/** Part of a transaction: writes the statement of a month that is over in the account's time zone, unless one exists or the month has no bookings. */
export const writeStatement = async (tables: Tables, clock: Clock, accountId: string, month: string): Promise<boolean> => {
  const now = clock.now()
  const timeZone = await zoneOf(tables, accountId)
  if (localMonth(now - settleMs, timeZone) <= month) return false
  if (await tables.statements.find(accountId, month)) return false
  const seller = sellerOf(await billingOf(tables))
  const content = await contentOf(tables, accountId, spanOf(month, timeZone), { timeZone, seller })
  if (!content) return false
  const kind = seller ? 'INVOICE' : 'STATEMENT'
  const number = await tables.statements.nextNumber(kind)
  const written = JSON.stringify(content)
  const hash = hashOf({ accountId, month, kind, number, content: written })
  await tables.statements.insert(accountId, { month, kind, number, content: written, hash, createdAt: now })
  const note = { at: now, actor: 'service', action: 'statement.write', target: month, detail: { kind, number } }
  await tables.audit.append(accountId, note)
  return true
}

/** Converts to the REST form. */
export const readStatement = ({ month, kind, number, content, hash, createdAt }: StoredStatement): Statement => ({
  month,
  kind,
  number,
  ...(JSON.parse(content) as Content),
  hash,
  createdAt: new Date(createdAt).toISOString(),
})

export const hashOf = (parts: Pick<StoredStatement, 'month' | 'kind' | 'number' | 'content'> & { accountId: string }): string =>
  createHash('sha256').update([parts.accountId, parts.month, parts.kind, parts.number, parts.content].join('\n')).digest('hex')

const spanOf = (month: string, timeZone: string): TimeSpan => ({
  from: startOfDay(`${month}-01`, timeZone),
  to: startOfDay(`${addMonths(month, 1)}-01`, timeZone),
})

interface Making {
  timeZone: string
  seller: Seller | undefined
}

const contentOf = async (tables: Tables, accountId: string, span: TimeSpan, { timeZone, seller }: Making): Promise<Content | undefined> => {
  const account = await tables.accounts.find(accountId)
  const balance = await tables.balances.find(accountId)
  const lines = await linesOf(tables, accountId, span)
  if (!account || !balance || lines.length === 0) return undefined
  const opening = await tables.usages.balanceAt(accountId, span.from)
  const spent = -lines.reduce((sum, { type, amount }) => sum + (isUsage(type) ? amount : 0), 0)
  return {
    currency: balance.currency,
    timeZone,
    opening,
    spent,
    closing: opening + lines.reduce((sum, { amount }) => sum + amount, 0),
    lines,
    customer: { accountId, company: account.company },
    ...(seller && { seller: { name: seller.name, address: seller.address, taxId: seller.taxId }, tax: taxIn(spent, seller.taxPercent) }),
  }
}

const linesOf = async (tables: Tables, accountId: string, span: TimeSpan): Promise<StatementLine[]> => {
  const sums = Map.groupBy(await tables.usages.sums(accountId, 'purpose', span), typeOf)
  const spent = usageTypes.flatMap((type): StatementLine[] => {
    const ofType = sums.get(type)
    if (!ofType) return []
    const figures = figuresOf(ofType)
    return [{ type, ...figures, amount: -figures.amount }]
  })
  const moved = (await tables.usages.movements(accountId, span)).map(({ book, amount }): StatementLine => ({
    type: book === 'payments' ? 'PAYMENT' : 'ADJUSTMENT',
    ...nothingUsed,
    amount,
  }))
  return [...spent, ...moved.toSorted((one, other) => (one.type > other.type ? -1 : 1))]
}

const nothingUsed = { calls: 0, minutes: 0, messages: 0, pages: 0 }

const isUsage = (type: LineType): boolean => (usageTypes as readonly string[]).includes(type)

const taxIn = (spent: number, percent: number) => ({ percent, amount: Math.round((spent * percent) / (100 + percent)) })
