import type { operatorGroupOperations } from '@offhook/contract/operator/groups.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorGroupHandlers = (_parts: Parts): Handlers<typeof operatorGroupOperations> => ({})
