import type { emailChangeOperations } from '@offhook/contract/v1/emailchange.ts'
import { confirmEmailChange } from '#core/account/accounts/email-change.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const emailChangeHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof emailChangeOperations> => ({
  confirmEmail: async ({ params }) => ({ email: await store.write((tables) => confirmEmailChange(tables, clock, params.nonce)) }),
})
