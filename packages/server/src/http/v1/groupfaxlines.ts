import type { groupFaxlineOperations } from '@offhook/contract/v1/groupfaxlines.ts'
import { chooseFaxCallerId, effectiveFaxCallerId } from '#core/account/lines/fax-caller-id.ts'
import { groupFaxlineOf } from '#core/account/lines/find-line.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toNumberItems } from './numbers/number-view.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const groupFaxlineHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof groupFaxlineOperations> => ({
  getGroupFaxlineCallerId: async ({ caller, params }) => {
    const faxline = await groupFaxlineOf(store.read, caller.accountId, params.faxlineId)
    return { value: await effectiveFaxCallerId(store.read, caller.accountId, faxline) }
  },

  setGroupFaxlineCallerId: ({ caller, params, body }) =>
    store.write(async (tables) => {
      const faxline = await groupFaxlineOf(tables, caller.accountId, params.faxlineId)
      const value = await chooseFaxCallerId(tables, caller.accountId, faxline, body.value)
      await auditByUser(tables, clock, caller, 'faxline.callerid', faxline.id, { value })
    }),

  listGroupFaxlineNumbers: async ({ caller, params }) => {
    const { id } = await groupFaxlineOf(store.read, caller.accountId, params.faxlineId)
    return toNumberItems(store, caller.accountId, await store.read.numbers.listByEndpoint(caller.accountId, id))
  },
})
