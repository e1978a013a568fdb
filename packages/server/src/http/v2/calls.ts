import type { callOperations } from '@offhook/contract/v2/calls.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const callHandlers = (_parts: Parts): Handlers<typeof callOperations> => ({})
