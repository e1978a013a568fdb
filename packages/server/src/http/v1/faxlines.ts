import type { faxlineOperations } from '@offhook/contract/v1/faxlines.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const faxlineHandlers = (_parts: Parts): Handlers<typeof faxlineOperations> => ({})
