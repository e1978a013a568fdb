import type { restrictionOperations } from '@offhook/contract/v1/restrictions.ts'
import { tellRestrictions } from '#core/account/identity/caller/restrictions.ts'
import type { Handlers } from '../handler/context.ts'
import type { Parts } from '../handler/parts.ts'

export const restrictionHandlers = ({ store }: Parts): Handlers<typeof restrictionOperations> => ({
  listRestrictions: async ({ caller, query }) => ({ items: await tellRestrictions(store, caller, query) }),
})
