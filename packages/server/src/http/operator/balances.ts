import type { operatorBalanceOperations } from '@offhook/contract/operator/balances.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { operatorActor, auditedWrite } from '#core/kernel/audit/audit.ts'
import { adjust, balanceOf, topUp } from '#core/money/funds.ts'
import { useOfLimits } from '#core/money/limits.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toLedgerElement } from '../v1/balance.ts'

export const operatorBalanceHandlers = ({
  store,
  clock,
}: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof operatorBalanceOperations> => ({
  readBalance: async ({ params: { accountId }, query: { before, limit = 100, offset = 0 } }) => {
    const balance = await balanceOf(store.read, accountId)
    const entries = await store.read.balances.listEntries(accountId, { limit, offset, ...(before !== undefined && { before }) })
    return { ...balance, items: entries.map((entry) => ({ ...toLedgerElement(entry), actor: entry.actor })) }
  },

  topUpBalance: ({ caller, params, body }) =>
    store.write((tables) => topUp(tables, clock, { ...params, ...body, actor: operatorActor(caller) })),

  adjustBalance: ({ caller, params, body }) =>
    store.write((tables) => adjust(tables, clock, { ...params, ...body, actor: operatorActor(caller) })),

  setCreditLimit: async ({ caller, params: { accountId }, body: { creditLimit } }) => {
    const note = { chain: accountId, action: 'balance.creditLimit', target: accountId, detail: { creditLimit } }
    await auditedWrite(store, clock, caller, note, async (tables) => {
      await balanceOf(tables, accountId)
      if (!(await tables.balances.setCreditLimit(accountId, creditLimit)))
        throw new Problem('conflict', 'The account already owes more than this limit.')
    })
  },

  readAccountLimits: async ({ params: { accountId } }) => {
    await balanceOf(store.read, accountId)
    const { perDay, ownPerDay, paidCalls, opened } = await store.read.limits.find(accountId)
    const set = {
      opened: [...opened],
      ...(perDay !== undefined && { perDay }),
      ...(ownPerDay !== undefined && { ownPerDay }),
      ...(paidCalls !== undefined && { paidCalls }),
    }
    return { ...(await useOfLimits(store.read, clock, accountId)), set }
  },

  setAccountLimits: async ({ caller, params: { accountId }, body }) => {
    const note = { chain: accountId, action: 'limits.update', target: accountId, detail: body }
    const { perDay, paidCalls, opened = [] } = body
    await auditedWrite(store, clock, caller, note, async (tables) => {
      await balanceOf(tables, accountId)
      await tables.limits.set(accountId, { perDay, paidCalls, opened })
    })
  },
})
