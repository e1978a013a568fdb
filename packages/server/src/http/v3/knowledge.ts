import { knowledgeOperations } from '@offhook/contract/v3/knowledge.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Handlers } from '../handler/context.ts'

const notYet = (): never => {
  throw new Problem('unavailable', 'Assistants from a prompt are not there yet.')
}

export const knowledgeHandlers = (): Handlers<typeof knowledgeOperations> =>
  Object.fromEntries(Object.keys(knowledgeOperations).map((name) => [name, notYet])) as unknown as Handlers<typeof knowledgeOperations>
