import type { balanceOperations } from '@offhook/contract/v1/balance.ts'
import { balanceOf } from '#core/money/funds.ts'
import { billingOf } from '#core/money/billing.ts'
import { useOfLimits } from '#core/money/limits.ts'
import { watchBalance } from '#core/money/charge.ts'
import type { LedgerEntry } from '#core/kernel/ports/store/money.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import type { usageOperations } from '@offhook/contract/v1/balance/usage.ts'
import { fullName } from '#core/account/accounts/create-account.ts'
import { orderingAccount } from '#core/money/paid-order.ts'
import { usageOf } from '#core/money/usage.ts'
import { priceOf } from '#core/telephone/orders/parties.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { statementOperations } from '@offhook/contract/v1/balance/statements.ts'
import { pdfOf } from '#core/money/print/statement-pdf.ts'
import { csvOf } from '#core/money/print/statement-csv.ts'
import { readStatement, type Statement } from '#core/money/statement.ts'
import { inMemory } from '#http/reply/in-memory.ts'
import type { FileReply } from '#http/reply/send-file.ts'

export const balanceHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof balanceOperations> => ({
  ...usageHandlers({ store, clock }),
  ...statementHandlers({ store }),

  getBalance: async ({ caller }) => {
    const { amount, reserved, currency } = await balanceOf(store.read, caller.accountId)
    return { amount: amount - reserved, currency }
  },

  readLedger: async ({ caller: { accountId }, query: { before, limit = 100, offset = 0 } }) => {
    const balance = await balanceOf(store.read, accountId)
    const entries = await store.read.balances.listEntries(accountId, { limit, offset, ...(before !== undefined && { before }) })
    return { ...balance, items: entries.map(toLedgerElement) }
  },

  readLimits: async ({ caller }) => {
    const { topUpUrl, topUpText } = await billingOf(store.read)
    const limits = await useOfLimits(store.read, clock, caller.accountId)
    return { ...limits, ...(topUpUrl !== undefined && { topUpUrl }), ...(topUpText !== undefined && { topUpText }) }
  },

  changeLimits: async ({ caller: { accountId, userId }, body: { perDay, perCall, warnBelow } }) => {
    await store.write(async (tables) => {
      await tables.limits.set(accountId, { ownPerDay: perDay, perCall, warnBelow })
      const at = clock.now()
      await tables.audit.append(accountId, {
        at,
        actor: userId,
        action: 'limits.update',
        target: accountId,
        detail: { perDay, perCall, warnBelow },
      })
      await watchBalance(tables, accountId, at)
    })
  },
})

/** Without the operator's name, which is hidden from customers. */
export const toLedgerElement = ({ id, position, amount, reason, sessionId, at }: LedgerEntry) => ({
  id,
  position,
  amount,
  reason,
  at: new Date(at).toISOString(),
  ...(sessionId !== undefined && { sessionId }),
})

const usageHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof usageOperations> => ({
  readUsage: async ({ caller: { accountId }, query: { by, from, to } }) => {
    const { currency } = await balanceOf(store.read, accountId)
    const usage = await usageOf(store.read, accountId, { by, from, to, now: clock.now() })
    const users = by === 'user' ? await store.read.users.list(accountId) : []
    const items = usage.items.map((item) => {
      const user = users.find(({ id }) => id === item.key)
      return user ? { ...item, name: fullName(user) } : item
    })
    return { currency, ...usage, items }
  },

  readPrice: async ({ caller: { accountId }, query: { to, service = 'CALL' } }) => {
    const account = await orderingAccount(store, accountId)
    const { currency } = await balanceOf(store.read, accountId)
    const { rate, ...price } = await priceOf(store.read, account, { to, service, at: clock.now() })
    const { connectFee = 0, ratePerMinute = 0, minSeconds = 0, incrementSeconds = 0, perUnit = 0 } = rate ?? {}
    return {
      ...price,
      currency,
      connectFee,
      perMinute: ratePerMinute,
      firstSeconds: minSeconds || incrementSeconds,
      incrementSeconds,
      perUnit,
    }
  },
})

const statementHandlers = ({ store }: Pick<HandlerDeps, 'store'>): Handlers<typeof statementOperations> => {
  const find = async (accountId: string, month: string): Promise<Statement> => {
    const statement = /^\d{4}-\d{2}$/.test(month) ? await store.read.statements.find(accountId, month) : undefined
    if (!statement) throw new Problem('statement_not_found')
    return readStatement(statement)
  }

  const localeOf = async (accountId: string) => (await store.read.accounts.find(accountId))?.locale ?? 'en_US'

  return {
    listStatements: async ({ caller }) => {
      const statements = await store.read.statements.list(caller.accountId)
      return { items: statements.map(readStatement).map(toHead) }
    },

    readStatement: ({ caller, params: { month } }) => find(caller.accountId, month),

    getStatementPdf: async ({ caller: { accountId }, params: { month } }) => {
      const statement = await find(accountId, month)
      return fileOf(await pdfOf(statement, await localeOf(accountId)), statement, 'pdf')
    },

    getStatementCsv: async ({ caller: { accountId }, params: { month } }) => {
      const statement = await find(accountId, month)
      return fileOf(Buffer.from(csvOf(statement)), statement, 'csv')
    },
  }
}

const toHead = ({ month, kind, number, currency, opening, spent, closing, createdAt }: Statement) => ({
  month,
  kind,
  number,
  currency,
  opening,
  spent,
  closing,
  createdAt,
})

const fileOf = (content: Uint8Array, { kind, month, hash, createdAt }: Statement, ending: 'pdf' | 'csv'): FileReply => ({
  file: inMemory(content, Date.parse(createdAt)),
  name: `${kind.toLowerCase()}-${month}.${ending}`,
  tag: `${hash}.${ending}`,
})
