import type { smsOperations } from '@offhook/contract/v1/sms.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const smsHandlers = (_parts: Parts): Handlers<typeof smsOperations> => ({})
