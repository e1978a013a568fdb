import { Problem } from '@offhook/contract/problem.ts'
import type { labOperations } from '@offhook/contract/v2/lab.ts'
import type { Handlers } from '../handler/context.ts'

export const labHandlers = (): Handlers<typeof labOperations> => ({
  runLab: () => Promise.reject(new Problem('unavailable')),
})
