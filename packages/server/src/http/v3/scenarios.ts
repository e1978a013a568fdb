import { Problem } from '@offhook/contract/problem.ts'
import type { scenarioOperations } from '@offhook/contract/v3/scenarios.ts'
import type { Handlers } from '../handler/context.ts'

const notYet = (): Promise<never> => Promise.reject(new Problem('unavailable'))

export const scenarioHandlers = (): Handlers<typeof scenarioOperations> => ({
  listScenarios: notYet,
  setScenario: notYet,
  deleteScenario: notYet,
  startTestRun: notYet,
  listTestRuns: notYet,
  getTestRun: notYet,
})
