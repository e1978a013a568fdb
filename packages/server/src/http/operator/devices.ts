import type { operatorDeviceOperations } from '@offhook/contract/operator/devices.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorDeviceHandlers = (_parts: Parts): Handlers<typeof operatorDeviceOperations> => ({})
