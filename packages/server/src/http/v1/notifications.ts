import type { notificationOperations } from '@offhook/contract/v1/notifications.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const notificationHandlers = (_parts: Parts): Handlers<typeof notificationOperations> => ({})
