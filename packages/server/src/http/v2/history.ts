import type { historyOperations } from '@offhook/contract/v2/history.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const historyHandlers = (_parts: Parts): Handlers<typeof historyOperations> => ({})
