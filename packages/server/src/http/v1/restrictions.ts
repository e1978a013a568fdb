import type { restrictionOperations } from '@offhook/contract/v1/restrictions.ts'
import { listRestrictions } from '#core/account/identity/caller/restrictions.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const restrictionHandlers = ({ store }: Pick<HandlerDeps, 'store'>): Handlers<typeof restrictionOperations> => ({
  listRestrictions: async ({ caller, query }) => ({ items: await listRestrictions(store, caller, query) }),
})
