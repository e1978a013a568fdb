import type { sessionOperations } from '@offhook/contract/v1/sessions.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const sessionHandlers = (_parts: Parts): Handlers<typeof sessionOperations> => ({})
