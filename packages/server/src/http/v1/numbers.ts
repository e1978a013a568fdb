import type { numberOperations } from '@offhook/contract/v1/numbers.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const numberHandlers = (_parts: Parts): Handlers<typeof numberOperations> => ({})
