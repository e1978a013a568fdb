import type { operatorSessionOperations } from '@offhook/contract/operator/session.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorSessionHandlers = (_parts: Parts): Handlers<typeof operatorSessionOperations> => ({})
