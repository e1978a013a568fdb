import type { operatorTariffOperations } from '@offhook/contract/operator/tariffs.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorTariffHandlers = (_parts: Parts): Handlers<typeof operatorTariffOperations> => ({})
