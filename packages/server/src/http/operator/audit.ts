import type { operatorAuditOperations } from '@offhook/contract/operator/audit.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorAuditHandlers = (_parts: Parts): Handlers<typeof operatorAuditOperations> => ({})
