import type { indexOperations } from '@offhook/contract/v1/index.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const indexHandlers = (_parts: Parts): Handlers<typeof indexOperations> => ({})
