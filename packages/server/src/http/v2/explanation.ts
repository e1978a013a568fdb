import { Problem } from '@offhook/contract/problem.ts'
import type { explanationOperations } from '@offhook/contract/v2/explanation.ts'
import type { Handlers } from '../handler/context.ts'

const notYet = (): Promise<never> => Promise.reject(new Problem('unavailable'))

export const explanationHandlers = (): Handlers<typeof explanationOperations> => ({
  explainCall: notYet,
  getCallScenario: notYet,
})
