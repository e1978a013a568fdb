import type { operatorCarrierOperations } from '@offhook/contract/operator/carriers.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorCarrierHandlers = (_parts: Parts): Handlers<typeof operatorCarrierOperations> => ({})
