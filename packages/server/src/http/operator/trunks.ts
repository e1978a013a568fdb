import type { operatorTrunkOperations } from '@offhook/contract/operator/trunks.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorTrunkHandlers = (_parts: Parts): Handlers<typeof operatorTrunkOperations> => ({})
