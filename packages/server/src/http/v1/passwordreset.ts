import type { passwordResetOperations } from '@offhook/contract/v1/passwordreset.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const passwordResetHandlers = (_parts: Parts): Handlers<typeof passwordResetOperations> => ({})
