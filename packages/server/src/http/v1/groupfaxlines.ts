import type { groupFaxlineOperations } from '@offhook/contract/v1/groupfaxlines.ts'
import { chooseFaxCallerId, effectiveFaxCallerId } from '#core/account/lines/fax-caller-id.ts'
import { requireInScope } from '#core/account/identity/caller/permissions.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { groupFaxlineOf } from '#core/account/lines/find-line.ts'
import type { Faxline } from '#core/kernel/ports/store/line.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toNumberItems } from './numbers/number-view.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const groupFaxlineHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof groupFaxlineOperations> => ({
  getGroupFaxlineCallerId: async ({ caller, params }) => {
    const faxline = await faxlineOf(store.read, caller, 'CAN_GET_GROUPS', params.faxlineId)
    return { value: await effectiveFaxCallerId(store.read, caller.accountId, faxline) }
  },

  setGroupFaxlineCallerId: ({ caller, params, body }) =>
    store.write(async (tables) => {
      const faxline = await faxlineOf(tables, caller, 'CAN_CHANGE_GROUPS', params.faxlineId)
      const value = await chooseFaxCallerId(tables, caller.accountId, faxline, body.value)
      await auditByUser(tables, clock, caller, 'faxline.callerid', faxline.id, { value })
    }),

  listGroupFaxlineNumbers: async ({ caller, params }) => {
    const { id } = await faxlineOf(store.read, caller, 'CAN_GET_GROUPS', params.faxlineId)
    return toNumberItems(store, caller.accountId, await store.read.numbers.listByEndpoint(caller.accountId, id))
  },
})

/** The fax line of a group that the caller's role covers. */
const faxlineOf = async (
  tables: Tables,
  caller: UserCaller,
  permission: 'CAN_GET_GROUPS' | 'CAN_CHANGE_GROUPS',
  faxlineId: string,
): Promise<Faxline> => {
  const faxline = await groupFaxlineOf(tables, caller.accountId, faxlineId)
  requireInScope(caller, permission, { groupId: faxline.owner })
  return faxline
}
