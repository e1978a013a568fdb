import type { passwordResetOperations } from '@offhook/contract/v1/passwordreset.ts'
import { requestPasswordReset, resetPassword } from '#core/account/identity/passwords/password-reset.ts'
import type { Handlers } from '../handler/context.ts'
import { marksIn } from '../handler/known-browsers.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const passwordResetHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'authenticator' | 'wake'>,
): Handlers<typeof passwordResetOperations> => ({
  requestPasswordReset: async ({ body, ip, cookie }) => {
    await deps.store.write((tables) => requestPasswordReset(tables, deps, { ...body, ip, marks: marksIn(cookie) }))
    deps.wake()
  },

  resetPassword: async ({ params, body }) => {
    await resetPassword(deps, params.nonce, body)
    deps.authenticator.forget()
  },
})
