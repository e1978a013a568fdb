import { assistantOperations } from '@offhook/contract/v3/assistant.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Handlers } from '../handler/context.ts'

const notYet = (): never => {
  throw new Problem('unavailable', 'Assistants from a prompt are not there yet.')
}

export const assistantHandlers = (): Handlers<typeof assistantOperations> =>
  Object.fromEntries(Object.keys(assistantOperations).map((name) => [name, notYet])) as unknown as Handlers<typeof assistantOperations>
