import type { portingOperations } from '@offhook/contract/v1/portings.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const portingHandlers = (_parts: Parts): Handlers<typeof portingOperations> => ({})
