import type { operatorOutboxOperations } from '@offhook/contract/operator/outbox.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorOutboxHandlers = (_parts: Parts): Handlers<typeof operatorOutboxOperations> => ({})
