import type { carrierMessageOperations } from '@offhook/contract/carrier/messages.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const carrierMessageHandlers = (_parts: Parts): Handlers<typeof carrierMessageOperations> => ({})
