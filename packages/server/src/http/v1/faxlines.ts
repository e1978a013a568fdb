import type { faxlineOperations } from '@offhook/contract/v1/faxlines.ts'
import { chooseFaxCallerId, effectiveFaxCallerId } from '#core/account/lines/fax-caller-id.ts'
import { faxlineOf } from '#core/account/lines/find-line.ts'
import type { Faxline } from '#core/kernel/ports/store/line.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toNumberItems } from './numbers/number-view.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const faxlineHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof faxlineOperations> => ({
  listFaxlines: async ({ caller, params }) => {
    const faxlines = await store.read.faxlines.listByOwner(caller.accountId, params.userId)
    return { items: faxlines.map(toFaxlineElement) }
  },

  getFaxline: async ({ caller, params }) => toFaxlineElement(await faxlineOf(store.read, caller.accountId, params)),

  changeFaxline: ({ caller, params, body: { alias, tagline } }) =>
    store.write(async (tables) => {
      const { id } = await faxlineOf(tables, caller.accountId, params)
      if (alias !== undefined) await tables.extensions.setAlias(caller.accountId, id, alias)
      if (tagline !== undefined) await tables.faxlines.setTagline(caller.accountId, id, tagline)
    }),

  listFaxlineNumbers: async ({ caller, params }) => {
    const { id } = await faxlineOf(store.read, caller.accountId, params)
    return toNumberItems(store, caller.accountId, await store.read.numbers.listByEndpoint(caller.accountId, id))
  },

  getFaxlineCallerId: async ({ caller, params }) => {
    const faxline = await faxlineOf(store.read, caller.accountId, params)
    return { value: await effectiveFaxCallerId(store.read, caller.accountId, faxline) }
  },

  setFaxlineCallerId: ({ caller, params, body }) =>
    store.write(async (tables) => {
      const faxline = await faxlineOf(tables, caller.accountId, params)
      const value = await chooseFaxCallerId(tables, caller.accountId, faxline, body.value)
      await auditByUser(tables, clock, caller, 'faxline.callerid', faxline.id, { value })
    }),
})

const toFaxlineElement = ({ id, alias, tagline, canSend, canReceive }: Faxline) => ({ id, alias, tagline, canSend, canReceive })
