import type { usageOperations } from '@offhook/contract/v1/balance/usage.ts'
import { fullName } from '#core/account/accounts/full-name.ts'
import { balanceOf } from '#core/money/funds.ts'
import { orderingAccount } from '#core/money/paid-order.ts'
import { usageOf } from '#core/money/usage.ts'
import { priceOf } from '#core/telephone/orders/price.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'

export const usageHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof usageOperations> => ({
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
