import type { settingsOperations } from '@offhook/contract/v1/settings.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const settingsHandlers = (_parts: Parts): Handlers<typeof settingsOperations> => ({})
