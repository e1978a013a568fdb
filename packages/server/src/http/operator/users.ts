import type { operatorUserOperations } from '@offhook/contract/operator/users.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorUserHandlers = (_parts: Parts): Handlers<typeof operatorUserOperations> => ({})
