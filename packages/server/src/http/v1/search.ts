import type { searchOperations } from '@offhook/contract/v1/search.ts'
import { searchAll } from '#core/account/history/search-all.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const searchHandlers = ({ store }: Pick<HandlerDeps, 'store'>): Handlers<typeof searchOperations> => ({
  search: async ({ caller, query }) => ({ items: await searchAll(store.read, caller, query.q) }),
})
