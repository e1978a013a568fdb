import { Problem } from '@offhook/contract/problem.ts'
import type { leashOperations } from '@offhook/contract/v1/authorization/leashes.ts'
import type { Handlers } from '#http/handler/context.ts'

const notYet = (): Promise<never> => Promise.reject(new Problem('unavailable'))

export const leashHandlers = (): Handlers<typeof leashOperations> => ({
  listLeashes: notYet,
  getLeash: notYet,
  setLeash: notYet,
  removeLeash: notYet,
  getAccess: notYet,
})
