import type { operatorNumberOperations } from '@offhook/contract/operator/numbers.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorNumberHandlers = (_parts: Parts): Handlers<typeof operatorNumberOperations> => ({})
