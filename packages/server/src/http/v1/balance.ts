import type { balanceOperations } from '@offhook/contract/v1/balance.ts'
import { balanceOf } from '#core/money/funds.ts'
import { billingOf } from '#core/money/billing.ts'
import { useOfLimits } from '#core/money/limits.ts'
import { watchBalance } from '#core/money/low-balance.ts'
import { statementHandlers } from './balance/statements.ts'
import { usageHandlers } from './balance/usage.ts'
import type { LedgerEntry } from '#core/kernel/ports/store/money/balances.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const balanceHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof balanceOperations> => ({
  ...usageHandlers({ store, clock }),
  ...statementHandlers({ store }),

  getBalance: async ({ caller }) => {
    const { amount, reserved, currency } = await balanceOf(store.read, caller.accountId)
    return { amount: amount - reserved, currency }
  },

  readLedger: async ({ caller: { accountId }, query: { before, limit = 100 } }) => {
    const balance = await balanceOf(store.read, accountId)
    const entries = await store.read.balances.listEntries(accountId, { limit, ...(before !== undefined && { before }) })
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

/** Without the operator's name, which customers do not see. */
export const toLedgerElement = ({ id, position, amount, reason, sessionId, at }: LedgerEntry) => ({
  id,
  position,
  amount,
  reason,
  at: new Date(at).toISOString(),
  ...(sessionId !== undefined && { sessionId }),
})
