import type { operatorPortingOperations } from '@offhook/contract/operator/portings.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorPortingHandlers = (_parts: Parts): Handlers<typeof operatorPortingOperations> => ({})
