import type { passwordResetOperations } from '@offhook/contract/v1/passwordreset.ts'
import { requestPasswordReset, resetPassword } from '#core/account/identity/passwords/password-reset.ts'
import type { Handlers } from '../handler/context.ts'
import { marksIn } from '../handler/known-browsers.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const passwordResetHandlers = (
  parts: Pick<HandlerParts, 'store' | 'clock' | 'vault' | 'passwords' | 'authenticator' | 'wake'>,
): Handlers<typeof passwordResetOperations> => ({
  requestPasswordReset: async ({ body, ip, cookie }) => {
    await parts.store.write((tables) => requestPasswordReset(tables, parts, { ...body, ip, marks: marksIn(cookie) }))
    parts.wake()
  },

  resetPassword: async ({ params, body }) => {
    await resetPassword(parts, params.nonce, body)
    parts.authenticator.forget()
  },
})
