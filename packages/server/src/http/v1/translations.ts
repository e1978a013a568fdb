import type { translationOperations } from '@offhook/contract/v1/translations.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const translationHandlers = (_parts: Parts): Handlers<typeof translationOperations> => ({})
