import type { phonelineOperations } from '@offhook/contract/v1/phonelines.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const phonelineHandlers = (_parts: Parts): Handlers<typeof phonelineOperations> => ({})
