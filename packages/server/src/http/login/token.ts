import type { loginOperations } from '@offhook/contract/login/token.ts'
import type { Handlers } from '../handler/context.ts'

/** All of these speak OAuth, errors included, and are answered in `http/oauth`. */
export const loginHandlers = (): Handlers<typeof loginOperations> => ({})
