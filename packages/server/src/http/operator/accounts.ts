import type { operatorAccountOperations } from '@offhook/contract/operator/accounts.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorAccountHandlers = (_parts: Parts): Handlers<typeof operatorAccountOperations> => ({})
