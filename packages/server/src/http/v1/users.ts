import type { userOperations } from '@offhook/contract/v1/users.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const userHandlers = (_parts: Parts): Handlers<typeof userOperations> => ({})
