import type { loginOperations } from '@offhook/contract/login/token.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const loginHandlers = (_parts: Parts): Handlers<typeof loginOperations> => ({})
