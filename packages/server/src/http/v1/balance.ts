import type { balanceOperations } from '@offhook/contract/v1/balance.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const balanceHandlers = (_parts: Parts): Handlers<typeof balanceOperations> => ({})
