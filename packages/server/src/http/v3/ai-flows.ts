import type { flowOperations } from '@offhook/contract/v3/ai-flows.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const flowHandlers = (_parts: Parts): Handlers<typeof flowOperations> => ({})
