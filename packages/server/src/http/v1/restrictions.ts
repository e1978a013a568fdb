import type { restrictionOperations } from '@offhook/contract/v1/restrictions.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const restrictionHandlers = (_parts: Parts): Handlers<typeof restrictionOperations> => ({})
