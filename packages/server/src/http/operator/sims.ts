import type { operatorSimOperations } from '@offhook/contract/operator/sims.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorSimHandlers = (_parts: Parts): Handlers<typeof operatorSimOperations> => ({})
