import type { deviceOperations } from '@offhook/contract/v1/devices.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const deviceHandlers = (_parts: Parts): Handlers<typeof deviceOperations> => ({})
