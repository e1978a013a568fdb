import { resultOperations } from '@offhook/contract/v3/results.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Handlers } from '../handler/context.ts'

const notYet = (): never => {
  throw new Problem('unavailable', 'Assistants from a prompt are not there yet.')
}

export const resultHandlers = (): Handlers<typeof resultOperations> =>
  Object.fromEntries(Object.keys(resultOperations).map((name) => [name, notYet])) as unknown as Handlers<typeof resultOperations>
