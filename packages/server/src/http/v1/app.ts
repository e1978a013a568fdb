import type { appOperations } from '@offhook/contract/v1/app.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const appHandlers = (_parts: Parts): Handlers<typeof appOperations> => ({})
