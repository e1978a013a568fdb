import type { authorizationOperations } from '@offhook/contract/v1/authorization.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const authorizationHandlers = (_parts: Parts): Handlers<typeof authorizationOperations> => ({})
