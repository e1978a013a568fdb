import type { restrictionOperations } from '@offhook/contract/v1/restrictions.ts'
import { tellRestrictions } from '#core/account/identity/caller/restrictions.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const restrictionHandlers = ({ store }: Pick<HandlerParts, 'store'>): Handlers<typeof restrictionOperations> => ({
  listRestrictions: async ({ caller, query }) => ({ items: await tellRestrictions(store, caller, query) }),
})
