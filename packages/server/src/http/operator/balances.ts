import type { operatorBalanceOperations } from '@offhook/contract/operator/balances.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorBalanceHandlers = (_parts: Parts): Handlers<typeof operatorBalanceOperations> => ({})
