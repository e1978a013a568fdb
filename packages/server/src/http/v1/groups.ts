import type { groupOperations } from '@offhook/contract/v1/groups.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const groupHandlers = (_parts: Parts): Handlers<typeof groupOperations> => ({})
