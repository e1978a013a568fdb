import type { groupFaxlineOperations } from '@offhook/contract/v1/groupfaxlines.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const groupFaxlineHandlers = (_parts: Parts): Handlers<typeof groupFaxlineOperations> => ({})
