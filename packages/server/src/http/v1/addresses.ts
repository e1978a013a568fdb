import type { addressOperations } from '@offhook/contract/v1/addresses.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const addressHandlers = (_parts: Parts): Handlers<typeof addressOperations> => ({})
