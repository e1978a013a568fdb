import type { balanceOperations } from '@offhook/contract/v1/balance.ts'
import { balanceOf } from '../../core/money/funds.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const balanceHandlers = ({ store }: Parts): Handlers<typeof balanceOperations> => ({
  getBalance: async ({ caller }) => {
    const { amount, reserved, currency } = await balanceOf(store.read, caller.accountId)
    return { amount: amount - reserved, currency }
  },
})
