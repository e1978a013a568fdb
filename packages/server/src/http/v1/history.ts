import type { historyV1Operations } from '@offhook/contract/v1/history.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const historyV1Handlers = (_parts: Parts): Handlers<typeof historyV1Operations> => ({})
